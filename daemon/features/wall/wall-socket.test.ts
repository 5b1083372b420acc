import { expect, it, onTestFinished } from 'vitest';
import { unauthorized } from '../../http/callers/bearer.js';
import { createServer, type RouteRow } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { clustersApp } from '../../testing/apps/clusters-app.js';
import { wallSocket } from './wall-socket.js';

const DID = '"did" must be a did:key.';
const VIS = '"vis" must be one of public, private, ghost.';
const MASK = '"mask" must be 1 and needs vis=ghost.';
const LONGEST = `did:key:${'z'.repeat(1024)}`;

it('a member says who it is in the form that is asked for, before the upgrade', async () => {
  const app = await clustersApp();
  const cluster = await app.aCluster({ visibility: 'public' });
  const path = `/v1/clusters/${cluster.id}/ws?agent=ada&`;
  for (const [query, name, message] of [
    ['did=', 'did', DID],
    ['did=did:key:', 'did', DID],
    ['did=did:web:example.org', 'did', DID],
    ['did=xdid:key:z6Mk', 'did', DID],
    ['did=did:key:z6-Mk', 'did', DID],
    ['did=did:key:z6Mk!', 'did', DID],
    [`did=${LONGEST}z`, 'did', DID],
    ['did=did:key:a&did=did:key:b', 'did', DID],
    ['vis=', 'vis', VIS],
    ['vis=Public', 'vis', VIS],
    ['vis=public&vis=ghost', 'vis', VIS],
    ['mask=1', 'mask', MASK],
    ['mask=1&vis=private', 'mask', MASK],
    ['mask=&vis=ghost', 'mask', MASK],
    ['mask=0&vis=ghost', 'mask', MASK],
  ] as const) {
    const reply = await app.call('GET', path + query);
    expect([query, reply.status, reply.body]).toEqual([query, 400, { error: 'bad_request', message, path: name }]);
  }
  for (const query of [
    '',
    'vis=public',
    'vis=private',
    'vis=ghost',
    'vis=ghost&mask=1',
    `did=${LONGEST}`,
    'did=did:key:z',
  ])
    expect([query, (await app.call('GET', path + query)).status]).toEqual([query, 426]);
});

it('a member is seen as it said, and as public without it', async () => {
  const app = await clustersApp();
  const cluster = await app.aCluster();
  const ada = await app.join(cluster, 'ada', { did: 'did:key:z6Mk' });
  await app.join(cluster, 'ben', { vis: 'private' });
  await app.join(cluster, 'eve', { vis: 'ghost' });
  const eye = await app.join(cluster, 'eye', { vis: 'ghost', mask: '1' });
  expect(ada.frames[0]).toMatchObject({ you: 'ada', you_did: 'did:key:z6Mk', owner: false, public: false });
  expect(eye.frames[0]).toMatchObject({ you_did: null, online: ['ada', 'private-1'] });
  expect(app.hub.sockets).toBe(4);
});

it('is a socket that anyone may ask for, and a request about clusters', async () => {
  const [routes, answered]: [RouteRow[], unknown[]] = [[], []];
  const guard = new Guard();
  guard.listeningOn(7);
  const app = await createServer({
    ...{ guard, isForeignPeer: () => false, log: false, onRoute: (row) => void routes.push(row) },
    onAnswered: ({ area, status }) => void answered.push([area, status]),
  });
  onTestFinished(() => app.close());
  const requireJoiner = () => {
    throw unauthorized();
  };
  await app.register(wallSocket, { clusterAccess: { requireJoiner } } as never);
  await app.inject({ url: '/v1/clusters/c/ws?agent=ada', headers: { host: '127.0.0.1:7' } });
  expect(answered).toEqual([['clusters', 401]]);
  const row = { method: 'GET', url: '/v1/clusters/:id/ws', access: 'public', isSocket: true };
  expect(routes).toContainEqual(row);
});
