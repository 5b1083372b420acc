import { expect, it, onTestFinished } from 'vitest';
import * as clustersContract from '../../contract/clusters.js';
import { createServer, type RouteRow } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas, describeRoutes } from '../../http/openapi.js';
import { with_ } from '../../testing/apps/cluster-requests.js';
import { clustersApp } from '../../testing/apps/clusters-app.js';
import type { Caller } from '../../testing/caller.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { clustersRoutes } from './clusters-routes.js';

/** The description of these routes alone. */
async function describeAlone() {
  const routes: RouteRow[] = [];
  const onRoute = (row: RouteRow) => void routes.push(row);
  const app = await createServer({ guard: new Guard(), isForeignPeer: () => false, onRoute, log: false });
  onTestFinished(() => app.close());
  addSchemas(app, [clustersContract]);
  await describeRoutes(app, '0.0.0');
  await app.register(clustersRoutes, {} as never);
  await app.ready();
  const call = (async () => ({ body: app.swagger() })) as unknown as Caller;
  return { routes, call };
}

it('describes each operation, who may call it and what it returns', async () => {
  const app = await describeAlone();
  const paths = /^\/v1\/clusters(\/\{id\})?$/;
  expect(await describedOperations(app, paths)).toEqual({
    'POST /v1/clusters': 'clusters, public, 201 ClusterCreated, Create a cluster; the only answer with its tokens',
    'GET /v1/clusters': 'clusters, public, 200 ClusterList, The catalog of public clusters',
    'GET /v1/clusters/{id}':
      'clusters, public, 200 ClusterAnswer, The card of a cluster, by id or slug; of a private one with its token',
    'PATCH /v1/clusters/{id}':
      'clusters, bearer, 200 ClusterAnswer, Turn boards on or off, and set rules, with the admin token',
    'DELETE /v1/clusters/{id}':
      'clusters, bearer, 200 ClusterDeleted, Delete a cluster and all that is in it, with the admin token',
  });
  const { body } = await app.call('GET', '/openapi.json');
  const described = (body as { paths: Record<string, Record<string, { security: object[] }>> }).paths;
  const credentials = Object.values(described['/v1/clusters/{id}'] ?? {}).map(({ security }) => security);
  expect(credentials).toEqual([[], [{ clusterToken: [] }], [{ clusterToken: [] }]]);
});

it('checks the credential before anything else of a request', async () => {
  const app = await clustersApp();
  const { id, token, admin } = await app.aCluster({ visibility: 'public' });
  const two = { ...with_(token), authorization: `Bearer ${admin}` };
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { unknown: 1 } : undefined;
    const statuses = [];
    for (const [third, headers] of [
      ['&token=ck_third', two],
      ['', with_(admin)],
    ] as const)
      statuses.push((await app.call(method, `/v1/clusters/${id}?unknown=1${third}`, body, headers)).status);
    expect([method, statuses]).toEqual([method, [401, 400]]);
  }
});
