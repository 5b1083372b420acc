import { Type } from 'typebox';
import {
  type NetworkCopies,
  NetworkCreate,
  NetworkJoin,
  type NetworkMembers,
  NetworkRestore,
  type NetworkStatus,
} from '../../contract/shared/network.js';
import type { App } from '../../http/route-types.js';
import type { Network } from './network.js';

/** The routes of the network, for the operator. */
export async function networkRoutes(app: App, { network }: { network: Network }): Promise<void> {
  const response = { 200: Type.Ref('NetworkStatus') };

  app.get(
    '/network',
    { schema: { summary: 'The network of this daemon, and how far it follows it', tags: ['system'], response } },
    (): Promise<NetworkStatus> => network.status(),
  );

  app.get(
    '/network/members',
    {
      schema: {
        summary: 'The daemons of the network, and who is there',
        tags: ['system'],
        response: { 200: Type.Ref('NetworkMembers') },
      },
    },
    async (): Promise<NetworkMembers> => network.members(),
  );

  app.post<{ Body: NetworkCreate }>(
    '/network',
    {
      schema: {
        summary: 'Create a network on NATS servers and join it',
        tags: ['system'],
        body: NetworkCreate,
        response,
      },
    },
    (request): Promise<NetworkStatus> => network.create(request.body),
  );

  app.put<{ Body: NetworkJoin }>(
    '/network',
    {
      schema: {
        summary: 'Join a network of NATS servers, or replace the credentials of the own one',
        tags: ['system'],
        body: NetworkJoin,
        response,
      },
    },
    (request): Promise<NetworkStatus> => network.join(request.body),
  );

  app.delete(
    '/network',
    { schema: { summary: 'Leave the network; what was shared stays here', tags: ['system'], response } },
    (): Promise<NetworkStatus> => network.leave(),
  );

  copiesRoutes(app, network);
}

/** The routes of the copies that were set aside. */
function copiesRoutes(app: App, network: Network): void {
  app.get(
    '/network/copies',
    {
      schema: {
        summary: 'The shared data that were set aside before others replaced them',
        tags: ['system'],
        response: { 200: Type.Ref('NetworkCopies') },
      },
    },
    (): Promise<NetworkCopies> => network.copies(),
  );

  app.post<{ Body: NetworkRestore }>(
    '/network/restore',
    {
      schema: {
        summary: 'Replace the shared data by a copy; refused in a network',
        tags: ['system'],
        body: NetworkRestore,
        response: { 200: Type.Ref('NetworkCopies') },
      },
    },
    (request): Promise<NetworkCopies> => network.restore(request.body),
  );
}
