import { expect, it, onTestFinished } from 'vitest';
import * as boardsContract from '../../contract/boards.js';
import * as clustersContract from '../../contract/clusters.js';
import { createServer, type RouteRow } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas, describeRoutes } from '../../http/openapi.js';
import { boardsApp } from '../../testing/apps/boards-app.js';
import type { Caller } from '../../testing/caller.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { boardsRoutes } from './boards-routes.js';
import { postsRoutes } from './posts-routes.js';

/** The description of these routes alone. */
async function describeAlone() {
  const routes: RouteRow[] = [];
  const onRoute = (row: RouteRow) => void routes.push(row);
  const app = await createServer({ guard: new Guard(), isForeignPeer: () => false, onRoute, log: false });
  onTestFinished(() => app.close());
  addSchemas(app, [clustersContract, boardsContract]);
  await describeRoutes(app, '0.0.0');
  await app.register(boardsRoutes, {} as never);
  await app.register(postsRoutes, {} as never);
  await app.ready();
  const call = (async () => ({ body: app.swagger() })) as unknown as Caller;
  return { routes, call };
}

it('describes each operation, who may call it and what it returns', async () => {
  const app = await describeAlone();
  const paths = /^\/v1\/clusters\/\{id\}\/(boards|history)/;
  expect(await describedOperations(app, paths)).toEqual({
    'POST /v1/clusters/{id}/boards': 'boards, bearer, 201 BoardCreated, Create a board, with the admin token',
    'GET /v1/clusters/{id}/boards':
      'boards, public, 200 BoardList, The cluster’s boards and rules, each level as it sets them; no boards while ' +
      'they are off',
    'GET /v1/clusters/{id}/boards/{bid}':
      'boards, public, 200 BoardRead, A board by its id or slug, the rules in force on it, and its live posts',
    'PATCH /v1/clusters/{id}/boards/{bid}':
      'boards, bearer, 200 BoardAnswer, Edit a board’s charter and rules, with the admin token',
    'DELETE /v1/clusters/{id}/boards/{bid}':
      'boards, bearer, 200 BoardDeleted, Delete a board with its posts, with the admin token',
    'GET /v1/clusters/{id}/history':
      'boards, bearer, 200 BoardHistory, What happened on the boards in the last 30 days, newest first, with a token ' +
      'of the cluster; never Wall messages',
    'POST /v1/clusters/{id}/boards/{bid}/posts':
      'boards, public, 201 PostCreated, Pin a post, for as long as its ttl: With an Idempotency-Key a repeat gives ' +
      'the first answer again, while the post is there.',
    'GET /v1/clusters/{id}/boards/{bid}/posts':
      'boards, public, 200 PostList, The live posts of a board, newest first; near a point, in a language',
    'GET /v1/clusters/{id}/boards/{bid}/posts/{pid}':
      'boards, public, 200 PostAnswer, One live post; with its distance from a point',
    'DELETE /v1/clusters/{id}/boards/{bid}/posts/{pid}':
      'boards, public, 200 BoardDeleted, Delete a post as its author, or with the admin token',
  });
  const { body } = await app.call('GET', '/openapi.json');
  const described = (body as { paths: Record<string, Record<string, { security: object[] }>> }).paths;
  const credentials = Object.entries(described)
    .filter(([path]) => paths.test(path))
    .flatMap(([, methods]) => Object.values(methods).flatMap(({ security }) => security));
  expect(credentials).toEqual(Array(4).fill({ clusterToken: [] }));
});

it('checks the credential before anything else of a request', async () => {
  const app = await boardsApp();
  const cluster = await app.aCluster();
  const path = `/v1/clusters/${cluster.id}`;
  const two = { 'x-cluster-token': cluster.token, authorization: `Bearer ${cluster.admin}` };
  const wrong = { unknown: true };
  for (const [method, rest, body] of [
    ['GET', '/boards?unknown=1', undefined],
    ['GET', '/boards/flats?unknown=1', undefined],
    ['GET', '/history?unknown=1', undefined],
    ['POST', '/boards/flats/posts', wrong],
    ['GET', '/boards/flats/posts?unknown=1', undefined],
    ['GET', '/boards/flats/posts/p?unknown=1', undefined],
    ['DELETE', '/boards/flats/posts/p?unknown=1', undefined],
    ['POST', '/boards', wrong],
    ['PATCH', '/boards/flats', wrong],
    ['DELETE', '/boards/flats?unknown=1', undefined],
  ] as const) {
    const statuses = [
      (await app.call(method, `${path}${rest}${rest.includes('?') ? '&' : '?'}token=ck_third`, body, two)).status,
      (await app.call(method, `${path}${rest}`, body, { 'x-cluster-token': cluster.admin })).status,
    ];
    expect([method, rest, statuses]).toEqual([method, rest, [401, 400]]);
  }
});

it('checks the admin token before it reads what a board should be', async () => {
  const app = await boardsApp();
  const cluster = await app.aCluster();
  for (const [method, path] of [
    ['POST', ''],
    ['PATCH', '/flats'],
    ['DELETE', '/flats?unknown=1'],
  ] as const) {
    const body = method === 'DELETE' ? undefined : { unknown: true };
    expect(await app.onBoards(cluster, method, path, body, cluster.token)).toMatchObject({ status: 401 });
  }
});
