import { Type } from 'typebox';
import { type AgentDeleted, StateBody, TokenBody, type TokenResult } from '../../contract/network/agents.js';
import {
  CatalogImportBody,
  type CatalogImported,
  HeartbeatBody,
  type HeartbeatResult,
  KeyBody,
  type RegistryList,
  RegistryPatchBody,
  RegistryQuery,
  type RegistryRecord,
  RegistryRegisterBody,
  type RegistryRegistration,
} from '../../contract/network/registry.js';
import { AgentBearers } from '../../http/callers/agent-bearer.js';
import type { WrongCredentials } from '../../http/callers/bearer.js';
import type { SignedCallers } from '../../http/callers/signed-caller.js';
import type { AnyRequest, App } from '../../http/route-types.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Catalog } from './catalog.js';
import type { Registry } from './registry.js';

const tags = ['unified API'];

interface RegistryRoutesParts {
  registry: Registry;
  catalog: Catalog;
  signed: SignedCallers;
  wrong: WrongCredentials;
  /** Whether the request carries a configured partner's key. */
  isPartner: (request: AnyRequest) => boolean;
}

/** The routes of the unified API and of the operator's catalog import. Spec: Endpoints › Unified API. */
export async function registryRoutes(app: App, parts: RegistryRoutesParts): Promise<void> {
  const bearers = new AgentBearers(parts.registry);
  addPresenceRoutes(app, parts, bearers);
  addOwnRecordRoutes(app, parts, bearers);
  addDirectoryRoutes(app, parts);
}

/** Registration and the two signs of life, tokens and heartbeats. */
function addPresenceRoutes(app: App, { registry, wrong, isPartner }: RegistryRoutesParts, bearers: AgentBearers): void {
  app.post<{ Body: RegistryRegisterBody }>(
    '/v1/agents/register',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Register an agent; the only answer with its api_key',
        tags,
        body: RegistryRegisterBody,
        response: { 200: Type.Ref('RegistryRegistration') },
      },
    },
    (request): Promise<RegistryRegistration> => registry.register(request.body, { isPartner: isPartner(request) }),
  );

  app.post<{ Body: TokenBody }>(
    '/v1/agents/token',
    {
      config: { access: 'public' },
      schema: {
        summary: 'A fresh token, valid for 24 hours; a sign of life',
        tags,
        body: TokenBody,
        response: { 200: Type.Ref('TokenResult') },
      },
    },
    async (request): Promise<TokenResult> => {
      const { agent_id } = request.body;
      return registry.token(request.body).catch((error: unknown) => {
        throw isMeshError(error, 'unauthorized') ? wrong.refuse(`v1 ${agentKey(agent_id)}`) : error;
      });
    },
  );

  app.post<{ Body: HeartbeatBody | undefined }>(
    '/v1/agents/me/heartbeat',
    {
      ...bearers.route,
      schema: {
        summary: 'A sign of life, with endpoint and card where they have changed; no body is fine',
        tags,
        body: Type.Union([HeartbeatBody, Type.Null()]),
        response: { 200: Type.Ref('HeartbeatResult') },
      },
    },
    (request): Promise<HeartbeatResult> => registry.heartbeat(bearers.getCaller(request), request.body ?? {}),
  );
}

/** What an agent changes of its own record. */
function addOwnRecordRoutes(app: App, { registry, signed }: RegistryRoutesParts, bearers: AgentBearers): void {
  app.patch<{ Body: RegistryPatchBody }>(
    '/v1/agents/me',
    {
      ...bearers.route,
      schema: {
        summary: 'Change what the body names; the card is replaced whole',
        tags,
        body: RegistryPatchBody,
        response: { 200: Type.Ref('RegistryRecord') },
      },
    },
    (request): Promise<RegistryRecord> => registry.update(bearers.getCaller(request), request.body),
  );

  app.post<{ Body: StateBody }>(
    '/v1/agents/me/state',
    {
      ...bearers.route,
      schema: {
        summary: 'Merge the availability into the stored card',
        tags,
        body: StateBody,
        response: { 200: Type.Ref('RegistryRecord') },
      },
    },
    (request): Promise<RegistryRecord> => registry.setState(bearers.getCaller(request), request.body),
  );

  app.put<{ Body: KeyBody }>(
    '/v1/agents/me/key',
    {
      ...bearers.route,
      schema: {
        summary: 'Bind a key; the request is signed by it (Mesh-Sig)',
        tags,
        body: KeyBody,
        response: { 200: Type.Ref('RegistryRecord') },
      },
    },
    async (request): Promise<RegistryRecord> => {
      const { pubkey } = await signed.get(request);
      if (pubkey !== request.body.pubkey)
        throw new MeshError('bad_signature', 'Sign the request with the key that it names.');
      return registry.bindKey(bearers.getCaller(request), pubkey);
    },
  );

  app.delete(
    '/v1/agents/me',
    { ...bearers.route, schema: { summary: 'Deregister', tags, response: { 200: Type.Ref('AgentDeleted') } } },
    (request): Promise<AgentDeleted> => registry.deregister(bearers.getCaller(request)),
  );
}

function addDirectoryRoutes(app: App, { registry, catalog }: RegistryRoutesParts): void {
  app.get<{ Querystring: RegistryQuery }>(
    '/v1/agents',
    {
      config: { access: 'public' },
      schema: {
        summary: 'The directory, page by page',
        tags,
        querystring: RegistryQuery,
        response: { 200: Type.Ref('RegistryList') },
      },
    },
    async (request): Promise<RegistryList> => registry.list(request.query),
  );

  app.get<{ Params: { agent_id: string } }>(
    '/v1/agents/:agent_id',
    {
      config: { access: 'public' },
      schema: {
        summary: 'One agent, or a catalog entry that nobody has registered',
        tags,
        response: { 200: Type.Ref('RegistryRecord') },
      },
    },
    async (request): Promise<RegistryRecord> => registry.get(request.params.agent_id),
  );

  app.post<{ Body: CatalogImportBody }>(
    '/v1/catalog',
    {
      schema: {
        summary: 'Import catalog entries; each stands alone',
        tags,
        body: CatalogImportBody,
        response: { 200: Type.Ref('CatalogImported') },
      },
    },
    (request): Promise<CatalogImported> => catalog.import(request.body),
  );
}
