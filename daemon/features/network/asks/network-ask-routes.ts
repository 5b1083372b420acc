import { Type } from 'typebox';
import {
  type NetworkAgents,
  type NetworkAsk,
  NetworkAskBody,
  NetworkPollQuery,
} from '../../../contract/shared/network-asks.js';
import { createDisconnectSignal } from '../../../http/answers/disconnect-signal.js';
import type { App } from '../../../http/route-types.js';
import type { Colleagues } from './colleagues.js';
import type { SharedMembers } from './shared-members.js';

interface NetworkAskRoutesParts {
  colleagues: Colleagues;
  members: SharedMembers;
}

const tags = ['system'];

/** The routes for members of other daemons, and for sharing those of this one, for the operator. */
export async function networkAskRoutes(app: App, parts: NetworkAskRoutesParts): Promise<void> {
  addSharingRoutes(app, parts);
  addAskRoutes(app, parts);
}

function addSharingRoutes(app: App, { colleagues, members }: NetworkAskRoutesParts): void {
  const listed = { 200: Type.Ref('NetworkAgents') };

  app.get(
    '/network/agents',
    { schema: { summary: 'The members that daemons of the network share', tags, response: listed } },
    async (): Promise<NetworkAgents> => colleagues.list(),
  );

  app.put<{ Params: { member: string } }>(
    '/network/agents/:member',
    { schema: { summary: 'Share an exposed member of this daemon with the network', tags, response: listed } },
    async (request): Promise<NetworkAgents> => {
      await members.share(request.params.member);
      return colleagues.list();
    },
  );

  app.delete<{ Params: { member: string } }>(
    '/network/agents/:member',
    { schema: { summary: 'Stop sharing a member of this daemon with the network', tags, response: listed } },
    async (request): Promise<NetworkAgents> => {
      await members.unshare(request.params.member);
      return colleagues.list();
    },
  );
}

function addAskRoutes(app: App, { colleagues }: NetworkAskRoutesParts): void {
  const asked = { 200: Type.Ref('NetworkAsk') };

  app.post<{ Body: NetworkAskBody }>(
    '/network/asks',
    {
      schema: {
        summary: 'Ask a member of another daemon; poll for the answer',
        tags,
        body: NetworkAskBody,
        response: { 202: Type.Ref('NetworkAsk') },
      },
    },
    async (request, reply) => reply.code(202).send(colleagues.ask(request.body)),
  );

  app.get<{ Params: { id: string }; Querystring: NetworkPollQuery }>(
    '/network/asks/:id',
    {
      schema: {
        summary: 'An ask of a member of another daemon; wait holds the answer until it ends or there is more text',
        tags,
        querystring: NetworkPollQuery,
        response: asked,
      },
    },
    (request, reply): Promise<NetworkAsk> =>
      colleagues.poll(request.params.id, request.query, createDisconnectSignal(reply)),
  );

  app.delete<{ Params: { id: string } }>(
    '/network/asks/:id',
    { schema: { summary: 'Cancel an ask of a member of another daemon', tags, response: asked } },
    async (request): Promise<NetworkAsk> => colleagues.cancel(request.params.id),
  );
}
