import { expect, it, onTestFinished } from 'vitest';
import * as savedClustersContract from '../../contract/saved-clusters.js';
import { createServer, type RouteRow } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas, describeRoutes } from '../../http/openapi.js';
import type { Caller } from '../../testing/caller.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { savedClustersRoutes } from './saved-clusters-routes.js';

/** The description of these routes alone. */
async function describeAlone() {
  const routes: RouteRow[] = [];
  const onRoute = (row: RouteRow) => void routes.push(row);
  const app = await createServer({ guard: new Guard(), isForeignPeer: () => false, onRoute, log: false });
  onTestFinished(() => app.close());
  addSchemas(app, [savedClustersContract]);
  await describeRoutes(app, '0.0.0');
  await app.register(savedClustersRoutes, {} as never);
  await app.ready();
  const call = (async () => ({ body: app.swagger() })) as unknown as Caller;
  return { routes, call };
}

it('describes each operation, who may call it and what it returns', async () => {
  expect(await describedOperations(await describeAlone(), /^\/rooms/)).toEqual({
    'GET /rooms': 'rooms, operator, 200 RoomList, The operator’s saved clusters',
    'POST /rooms': 'rooms, operator, 200 Room or 201 Room, Join and save a cluster',
    'GET /rooms/{id}': 'rooms, operator, 200 RoomDetail, One saved cluster, with its saved tokens',
    'PATCH /rooms/{id}': 'rooms, operator, 200 Room, Change the operator’s presence in it, or its tokens',
    'POST /rooms/{id}/read': 'rooms, operator, 200 Room, Mark all messages read',
    'DELETE /rooms/{id}': 'rooms, operator, 200 RoomLeft, Leave it and delete its saved tokens',
  });
});
