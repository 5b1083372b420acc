import { Type } from 'typebox';
import { type AgentDeleted, StateBody, TokenBody, type TokenResult } from '../../contract/network/agents.js';
import {
  type AgentRecord,
  AgentsQuery,
  type AgentUpdated,
  PatchAgentBody,
  RegisterBody,
  type Registration,
} from '../../contract/network/hub.js';
import type { AgentBearers } from '../../http/callers/agent-bearer.js';
import type { WrongCredentials } from '../../http/callers/bearer.js';
import type { PartnerKeys } from '../../http/callers/partner-key.js';
import type { App } from '../../http/route-types.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { isMeshError } from '../../lib/errors.js';
import type { Hub } from './hub.js';

const tags = ['hub'];

interface HubRoutesParts {
  hub: Hub;
  bearers: AgentBearers;
  partners: PartnerKeys;
  wrong: WrongCredentials;
}

/** The routes for registration, tokens, heartbeats, lookup and deregistration. Spec: Endpoints › Hub. */
export async function hubRoutes(app: App, parts: HubRoutesParts): Promise<void> {
  addRegistrationRoutes(app, parts);
  addOwnRecordRoutes(app, parts);
  addDirectoryRoutes(app, parts);
}

function addRegistrationRoutes(app: App, { hub, partners, wrong }: HubRoutesParts): void {
  app.post<{ Body: RegisterBody }>(
    '/agents/register',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Register an agent; the only answer with its api_key',
        tags,
        body: RegisterBody,
        response: { 200: Type.Ref('Registration') },
      },
    },
    (request): Promise<Registration> => hub.register(request.body, { isPartner: partners.isPartner(request) }),
  );

  app.post<{ Body: TokenBody }>(
    '/agents/token',
    {
      config: { access: 'public' },
      schema: {
        summary: 'A fresh token, valid for 24 hours; marks the agent online',
        tags,
        body: TokenBody,
        response: { 200: Type.Ref('TokenResult') },
      },
    },
    (request): Promise<TokenResult> =>
      hub.token(request.body).catch((error: unknown) => {
        throw isMeshError(error, 'unauthorized') ? wrong.refuse(`hub ${agentKey(request.body.agent_id)}`) : error;
      }),
  );
}

/** What an agent changes of its own record. */
function addOwnRecordRoutes(app: App, { hub, bearers }: HubRoutesParts): void {
  app.patch<{ Body: PatchAgentBody }>(
    '/agents/me',
    {
      ...bearers.route,
      schema: {
        summary: 'Heartbeat: replaces the stored card whole and whatever else is named',
        tags,
        body: PatchAgentBody,
        response: { 200: Type.Ref('AgentUpdated') },
      },
    },
    (request): Promise<AgentUpdated> => hub.update(bearers.getCaller(request), request.body),
  );

  app.post<{ Body: StateBody }>(
    '/agents/me/state',
    {
      ...bearers.route,
      schema: {
        summary: 'Merges the availability into the stored card',
        tags,
        body: StateBody,
        response: { 200: Type.Ref('AgentUpdated') },
      },
    },
    (request): Promise<AgentUpdated> => hub.setState(bearers.getCaller(request), request.body),
  );

  app.delete(
    '/agents/me',
    {
      ...bearers.route,
      schema: {
        summary: 'Deregister, with everything that refers to it',
        tags,
        response: { 200: Type.Ref('AgentDeleted') },
      },
    },
    (request): Promise<AgentDeleted> => hub.deregister(bearers.getCaller(request)),
  );
}

function addDirectoryRoutes(app: App, { hub }: HubRoutesParts): void {
  app.get<{ Params: { agent_id: string } }>(
    '/agents/:agent_id',
    {
      config: { access: 'public' },
      schema: { summary: 'Look an agent up', tags, response: { 200: Type.Ref('AgentRecord') } },
    },
    async (request): Promise<AgentRecord> => hub.get(request.params.agent_id),
  );

  for (const path of ['/agents', '/agents/']) {
    app.get<{ Querystring: AgentsQuery }>(
      path,
      {
        config: { access: 'public' },
        schema: {
          // The same as without the slash: described once.
          hide: path.endsWith('/'),
          summary: 'Agents that are online, or all; the next page stands in the Link header',
          tags,
          querystring: AgentsQuery,
          response: { 200: Type.Array(Type.Ref('AgentRecord')) },
        },
      },
      async (request, reply) => {
        const { agents, next } = hub.list(request.query);
        if (next !== undefined) {
          const query = new URLSearchParams(
            Object.entries({ ...request.query, cursor: next }).map(([key, value]) => [key, String(value)]),
          );
          void reply.header('link', `<${path}?${query}>; rel="next"`);
        }
        return reply.send(agents);
      },
    );
  }
}
