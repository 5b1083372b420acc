import { expect, it } from 'vitest';
import * as agentsContract from '../../contract/network/agents.js';
import * as selfRegistrationContract from '../../contract/network/self-registration.js';
import { createServer, type RouteRow } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas, describeRoutes } from '../../http/openapi.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { selfRegistrationRoutes } from './self-registration-routes.js';

it('describes the operation, who may call it and what it returns', async () => {
  const routes: RouteRow[] = [];
  const app = await createServer({
    guard: new Guard(),
    isForeignPeer: () => false,
    log: false,
    onRoute: (route) => void routes.push(route),
  });
  addSchemas(app, [agentsContract, selfRegistrationContract]);
  await describeRoutes(app, '0.0.0');
  await app.register(selfRegistrationRoutes, { houseAgents: {} as never });
  await app.ready();
  const call = async () => ({ body: app.swagger() }) as never;
  expect(await describedOperations({ call, routes }, /^\/registrations/)).toEqual({
    'GET /registrations':
      'agents, operator, 200 HouseAgentList, The exposed members as agents, both surfaces side by side',
  });
});
