import { expect, it } from 'vitest';
import * as errorsContract from '../../contract/errors.js';
import * as agentsContract from '../../contract/network/agents.js';
import * as hubContract from '../../contract/network/hub.js';
import { AgentBearers } from '../../http/callers/agent-bearer.js';
import { createServer, type RouteRow } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas, describeRoutes } from '../../http/openapi.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { hubMessagesRoutes } from './hub-messages-routes.js';
import { hubRoutes } from './hub-routes.js';
import { hubSocket } from './hub-socket.js';

it('describes each operation of the hub, who may call it and what it returns', async () => {
  const routes: RouteRow[] = [];
  const app = await createServer({
    guard: new Guard(),
    isForeignPeer: () => false,
    log: false,
    onRoute: (route) => void routes.push(route),
  });
  addSchemas(app, [errorsContract, agentsContract, hubContract]);
  await describeRoutes(app, '0.0.0');
  const parts = { bearers: new AgentBearers({} as never) };
  const sockets: unknown[] = [];
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const { summary, tags } = schema as { summary?: string; tags?: string[] };
    if (method === 'GET' && config?.socket) sockets.push([url, config.access, config.credential, summary, tags]);
  });
  await app.register(hubRoutes, parts as never);
  await app.register(hubMessagesRoutes, parts as never);
  await app.register(hubSocket, parts as never);
  await app.ready();
  const call = async () => ({ body: app.swagger() }) as never;
  expect(await describedOperations({ call, routes }, /^\/(agents|ws)/)).toEqual({
    'POST /agents/register': 'hub, public, 200 Registration, Register an agent; the only answer with its api_key',
    'POST /agents/token': 'hub, public, 200 TokenResult, A fresh token, valid for 24 hours; marks the agent online',
    'PATCH /agents/me':
      'hub, bearer, 200 AgentUpdated, Heartbeat: replaces the stored card whole and whatever else is named',
    'POST /agents/me/state': 'hub, bearer, 200 AgentUpdated, Merges the availability into the stored card',
    'DELETE /agents/me': 'hub, bearer, 200 AgentDeleted, Deregister, with everything that refers to it',
    'GET /agents/{agent_id}': 'hub, public, 200 AgentRecord, Look an agent up',
    'GET /agents':
      'hub, public, 200 AgentRecord, Agents that are online, or all; the next page stands in the Link header',
    'POST /agents/messages': 'hub messages, bearer, 200 MessageSent, Send a message to an agent',
    'GET /agents/messages': 'hub messages, bearer, 200 Inbox, Take what waits in the inbox; with since_id only look',
    'POST /agents/messages/ack': 'hub messages, bearer, 200 AckResult, Take messages out of the inbox by their _id',
    'GET /agents/messages/{peer}/history':
      'hub messages, bearer, 200 HubMessage, Messages exchanged with a peer, newest first',
    'POST /agents/channels': 'hub messages, bearer, 201 ChannelCreated, Make a channel and join it',
    'GET /agents/channels': 'hub messages, bearer, 200 ChannelList, All channels, oldest first',
    'POST /agents/channels/{id}/join': 'hub messages, bearer, 200 HubOk, Join a channel',
    'POST /agents/channels/{id}/leave': 'hub messages, bearer, 200 HubOk, Leave a channel',
    'POST /agents/channels/{id}/send': 'hub messages, bearer, 200 ChannelSent, Send a message to a channel',
    'PUT /agents/contacts/{agent_id}': 'hub messages, bearer, 200 HubOk, Keep an agent as a contact',
    'DELETE /agents/contacts/{agent_id}': 'hub messages, bearer, 200 HubOk, Drop a contact',
    'GET /agents/contacts': 'hub messages, bearer, 200 ContactList, Contacts, and who of them is online',
  });
  const told = 'Live socket of an agent: what its inbox holds, as it arrives';
  expect(sockets).toEqual(['/agents/ws', '/ws'].map((url) => [url, 'bearer', 'agentToken', told, ['hub']]));
  expect(routes.find(({ method, url }) => method === 'GET' && url === '/agents/')?.access).toBe('public');
});
