import { expect, it } from 'vitest';
import * as agentsContract from '../../contract/network/agents.js';
import * as registryContract from '../../contract/network/registry.js';
import { createServer, type RouteRow } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas, describeRoutes } from '../../http/openapi.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { registryRoutes } from './registry-routes.js';

it('describes each operation of the unified API, who may call it and what it returns', async () => {
  const routes: RouteRow[] = [];
  const app = await createServer({
    guard: new Guard(),
    isForeignPeer: () => false,
    log: false,
    onRoute: (route) => void routes.push(route),
  });
  addSchemas(app, [agentsContract, registryContract]);
  await describeRoutes(app, '0.0.0');
  await app.register(registryRoutes, {} as never);
  await app.ready();
  const call = async () => ({ body: app.swagger() }) as never;
  expect(await describedOperations({ call, routes }, /^\/v1/)).toEqual({
    'POST /v1/agents/register':
      'unified API, public, 200 RegistryRegistration, Register an agent; the only answer with its api_key',
    'POST /v1/agents/token': 'unified API, public, 200 TokenResult, A fresh token, valid for 24 hours; a sign of life',
    'POST /v1/agents/me/heartbeat':
      'unified API, bearer, 200 HeartbeatResult, ' +
      'A sign of life, with endpoint and card where they have changed; no body is fine',
    'PATCH /v1/agents/me':
      'unified API, bearer, 200 RegistryRecord, Change what the body names; the card is replaced whole',
    'POST /v1/agents/me/state': 'unified API, bearer, 200 RegistryRecord, Merge the availability into the stored card',
    'PUT /v1/agents/me/key':
      'unified API, bearer, 200 RegistryRecord, Bind a key; the request is signed by it (Mesh-Sig)',
    'DELETE /v1/agents/me': 'unified API, bearer, 200 AgentDeleted, Deregister',
    'GET /v1/agents': 'unified API, public, 200 RegistryList, The directory, page by page',
    'GET /v1/agents/{agent_id}':
      'unified API, public, 200 RegistryRecord, One agent, or a catalog entry that nobody has registered',
    'POST /v1/catalog': 'unified API, operator, 200 CatalogImported, Import catalog entries; each stands alone',
  });
});
