import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClusterCreated, COMMONS } from '../../contract/clusters.js';
import { SAVED_CLUSTERS_MAX } from '../../contract/saved-clusters.js';
import { clustersApp, getReadyFrame, sendFrame } from '../../testing/apps/clusters-app.js';
import {
  getSavedCluster,
  listSavedClusters,
  readSavedClusters,
  saveCluster,
  savedClusterEvents,
  savedClustersFile,
} from '../../testing/apps/saved-clusters.js';
import { testApp } from '../../testing/apps/test-app.js';
import { isOnline, nextAck, threeMembers } from '../../testing/apps/wall-talk.js';
import { git, putFiles } from '../../testing/temporary-folder.js';

describe('Saving a cluster', () => {
  it('accepts the id, or the slug of a public cluster, and is on disk when it responds', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ name: 'Town', topic: '#town', visibility: 'public' });
    const reply = await app.call('POST', '/rooms', { cluster_id: 'town' });
    expect(reply.status).toBe(201);
    const now = Math.floor(app.clock.now() / 1000);
    expect(reply.body).toEqual({
      cluster_id: cluster.id,
      name: 'Town',
      slug: 'town',
      topic: '#town',
      visibility: 'public',
      boards_enabled: false,
      online: 1,
      handle: 'operator',
      vis: 'public',
      held: true,
      joined_at: now,
      unread: 0,
      unread_direct: 0,
      last_at: null,
      member: false,
      admin: false,
    });
    expect(readSavedClusters(app)).toEqual({
      [cluster.id]: { handle: 'operator', vis: 'public', held: true, token: null, admin_token: null },
    });
    expect(statSync(savedClustersFile(app)).mode & 0o777).toBe(0o600);
    expect((await listSavedClusters(app)).rooms).toEqual([reply.body]);
    expect(app.events.at(-1)).toMatchObject({ type: 'room.changed', cluster: cluster.id });
  });

  it('responds 200 for a saved cluster and updates the given handle, visibility and tokens', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    await saveCluster(app, cluster, { handle: 'ivy' });
    const again = await app.call('POST', '/rooms', {
      cluster_id: cluster.id,
      vis: 'private',
      admin_token: cluster.admin,
    });
    expect([again.status, again.body]).toMatchObject([
      200,
      { handle: 'ivy', vis: 'private', admin: true, member: false },
    ]);
    expect(await listSavedClusters(app)).toMatchObject({ count: 1 });
    const before = savedClusterEvents(app);
    expect((await app.call('POST', '/rooms', { cluster_id: cluster.id })).status).toBe(200);
    expect(savedClusterEvents(app)).toBe(before);
  });

  it('requires a valid member or admin token of a private cluster and treats a wrong one like an unknown cluster', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ name: 'Crew' });
    const other = await app.aCluster();
    const unknown = await app.call('POST', '/rooms', { cluster_id: 'c_00000000000000000000' });
    expect([unknown.status, unknown.body]).toMatchObject([404, { error: 'not_found' }]);
    for (const tokens of [
      {},
      { token: other.token },
      { token: 'ck_nonsense' },
      { admin_token: other.admin },
      { token: '' },
    ]) {
      const reply = await app.call('POST', '/rooms', { cluster_id: cluster.id, ...tokens });
      expect([reply.status, reply.text]).toEqual([404, unknown.text]);
    }
    expect(await listSavedClusters(app)).toEqual({ rooms: [], count: 0 });
    expect(await saveCluster(app, cluster)).toMatchObject({
      name: 'Crew',
      slug: null,
      visibility: 'private',
      member: true,
      admin: false,
    });
    // An admin token that is sent as `token` is stored as the admin token.
    expect(await saveCluster(app, other, { token: other.admin })).toMatchObject({ member: false, admin: true });
    expect(await getSavedCluster(app, cluster)).toMatchObject({ token: cluster.token, admin_token: null });
    expect(await getSavedCluster(app, other)).toMatchObject({ token: null, admin_token: other.admin });
    // Without a token in the request, the stored ones give access.
    expect((await app.call('POST', '/rooms', { cluster_id: cluster.id, handle: 'ivy' })).status).toBe(200);
  });

  it('rate-limits guesses of tokens', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster();
    const guess = async () =>
      (await app.call('POST', '/rooms', { cluster_id: cluster.id, token: 'ck_nonsense' })).status;
    for (let n = 0; n < 20; n += 1) expect(await guess()).toBe(404);
    expect(await guess()).toBe(429);
    expect(await saveCluster(app, cluster)).toMatchObject({ member: true });
  });

  it('rejects a token of another public cluster, and a member token in place of the admin token', async () => {
    const app = await clustersApp();
    const [cluster, other] = [
      await app.aCluster({ visibility: 'public' }),
      await app.aCluster({ visibility: 'public' }),
    ];
    const wrong = await app.call('POST', '/rooms', { cluster_id: cluster.id, token: other.token });
    expect([wrong.status, wrong.body]).toMatchObject([401, { error: 'unauthorized' }]);
    const swapped = await app.call('POST', '/rooms', { cluster_id: cluster.id, admin_token: cluster.token });
    expect([swapped.status, swapped.body]).toMatchObject([400, { error: 'bad_request', path: 'admin_token' }]);
    expect(await listSavedClusters(app)).toMatchObject({ count: 0 });
  });

  it('gives the operator admin access to the commons without copying its tokens', async () => {
    const app = await clustersApp();
    const reply = await app.call('POST', '/rooms', { cluster_id: COMMONS.slug });
    expect(reply.body).toMatchObject({ cluster_id: COMMONS.id, member: true, admin: true });
    const commons = JSON.parse(readFileSync(join(app.root, 'commons.json'), 'utf8')) as Record<string, unknown>;
    expect(await getSavedCluster(app, COMMONS)).toMatchObject(commons);
    expect(readSavedClusters(app)).toMatchObject({ [COMMONS.id]: { token: null, admin_token: null } });
  });

  it.each(['', 'a\u202eb', ' ivy', 'x'.repeat(65), 'a\u200db'])('rejects the handle %j', async (handle) => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    const reply = await app.call('POST', '/rooms', { cluster_id: cluster.id, handle });
    expect([reply.status, reply.body]).toMatchObject([400, { error: 'bad_request', path: 'handle' }]);
  });

  it(`rejects more than ${SAVED_CLUSTERS_MAX} saved clusters`, async () => {
    const app = await clustersApp();
    const full = Object.fromEntries(
      Array.from({ length: SAVED_CLUSTERS_MAX }, (_, n) => [
        `c_${String(n).padStart(20, '0')}`,
        { handle: 'ivy', vis: 'public', held: true },
      ]),
    );
    const cluster = await app.aCluster({ visibility: 'public' });
    await saveCluster(app, cluster);
    await app.stop();
    writeFileSync(savedClustersFile(app), JSON.stringify({ ...readSavedClusters(app), ...full }));
    const next = await clustersApp({ root: app.root });
    const other = await next.aCluster({ visibility: 'public' });
    const reply = await next.call('POST', '/rooms', { cluster_id: other.id });
    expect([reply.status, reply.body]).toMatchObject([409, { error: 'limit_reached' }]);
    expect((await next.call('POST', '/rooms', { cluster_id: cluster.id, vis: 'ghost' })).status).toBe(200);
  });
});

describe('Tokens of saved clusters', () => {
  it('are returned by GET /rooms/:id only, and appear in no event, log line, list or other response', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster();
    const answers = [
      await app.call('POST', '/rooms', {
        cluster_id: cluster.id,
        token: cluster.token,
        admin_token: cluster.admin,
        handle: 'a\u202e',
      }),
      await app.call('POST', '/rooms', { cluster_id: cluster.id, token: cluster.token, unknown: 1 }),
      await app.call('POST', '/rooms', { cluster_id: cluster.id, token: `${cluster.token}${'x'.repeat(200)}` }),
      await app.call('POST', '/rooms', { cluster_id: cluster.id, token: cluster.token, admin_token: cluster.admin }),
      await app.call('PATCH', `/rooms/${cluster.id}`, { vis: 'private' }),
      await app.call('POST', `/rooms/${cluster.id}/read`),
      await app.call('GET', '/rooms'),
      await app.call('GET', `/v1/clusters/${cluster.id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 201, 200, 200, 200, 404]);
    expect(await getSavedCluster(app, cluster)).toMatchObject({ token: cluster.token, admin_token: cluster.admin });
    const all = [...answers.map(({ text }) => text), JSON.stringify(app.events), ...app.log].join('\n');
    for (const secret of [cluster.token, cluster.admin]) expect(all).not.toContain(secret.slice(3, 20));
  });

  it('are not written while git tracks secrets, which does not affect clusters without tokens', async () => {
    const app = await testApp();
    putFiles(app.root, { '.mesh/credentials/old.token': 'x' });
    git(app.root, 'add', '-f', '.mesh/credentials/old.token');
    const crew = (await app.call('POST', '/v1/clusters', {})).body as ClusterCreated;
    const refused = await app.call('POST', '/rooms', { cluster_id: crew.cluster_id, token: crew.token });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { error: 'forbidden', message: expect.stringContaining('git rm -r --cached') },
    ]);
    expect((await app.call('POST', '/rooms', { cluster_id: COMMONS.slug })).status).toBe(201);
  });

  it('can be deleted one by one, except the last one of a private cluster', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster();
    await saveCluster(app, cluster, { admin_token: cluster.admin });
    const patch = (body: object) => app.call('PATCH', `/rooms/${cluster.id}`, body);
    expect((await patch({ admin_token: null })).body).toMatchObject({ member: true, admin: false });
    const last = await patch({ token: null });
    expect([last.status, last.body]).toMatchObject([400, { error: 'bad_request', path: 'token' }]);
    expect((await patch({ token: 'ck_nonsense' })).status).toBe(404);
    expect((await patch({ token: null, admin_token: cluster.admin })).body).toMatchObject({
      member: false,
      admin: true,
    });
    expect(readFileSync(savedClustersFile(app), 'utf8')).not.toContain(cluster.token);
  });
});

describe('Leaving a saved cluster', () => {
  it('ends the connection, notifies the others, and deletes the tokens', async () => {
    const { app, cluster, ada } = await threeMembers({});
    await saveCluster(app, cluster, { handle: 'ivy' });
    await ada.until(isOnline('ivy'));
    const left = await app.call('DELETE', `/rooms/${cluster.id}`);
    expect([left.status, left.body]).toEqual([200, { ok: true, cluster_id: cluster.id }]);
    expect(await ada.next()).toMatchObject({ agent: 'ivy', status: 'offline' });
    expect(readSavedClusters(app)).toEqual({});
    expect(await listSavedClusters(app)).toEqual({ rooms: [], count: 0 });
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/read'],
    ] as const) {
      const reply = await app.call(method, `/rooms/${cluster.id}${path}`, method === 'PATCH' ? {} : undefined);
      expect([method, reply.status, reply.body]).toMatchObject([method, 404, { error: 'not_found' }]);
    }
  });
});

describe('Deleting a cluster', () => {
  it('removes it from the saved clusters with its tokens', async () => {
    const { app, cluster, ada } = await threeMembers({});
    await saveCluster(app, cluster, { handle: 'ivy', admin_token: cluster.admin });
    await ada.until(isOnline('ivy'));
    await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin });
    expect(await ada.next()).toMatchObject({ kind: 'closed' });
    expect(await listSavedClusters(app)).toEqual({ rooms: [], count: 0 });
    const other = await app.aCluster({ visibility: 'public' });
    // Changes are serialized, so the earlier one is on disk once this resolves.
    await saveCluster(app, other);
    expect(Object.keys(readSavedClusters(app))).toEqual([other.id]);
  });
});

describe('Restart of the daemon', () => {
  it('rejoins the held clusters with counters reset, and not the others', async () => {
    const app = await clustersApp();
    const [held, left] = [await app.aCluster(), await app.aCluster({ visibility: 'public' })];
    await saveCluster(app, held, { handle: 'ivy', vis: 'private' });
    await saveCluster(app, left, { held: false });
    await app.stop();
    app.clock.advance(60_000);
    const next = await clustersApp({ root: app.root, clock: app.clock });
    expect((await listSavedClusters(next)).rooms).toMatchObject([
      {
        cluster_id: held.id,
        handle: 'ivy',
        vis: 'private',
        held: true,
        online: 1,
        unread: 0,
        joined_at: Math.floor(app.clock.now() / 1000),
      },
      { cluster_id: left.id, held: false, online: 0 },
    ]);
    const ada = await next.join(held, 'ada');
    expect(getReadyFrame(ada).online).toEqual(['ivy', 'ada']);
    sendFrame(ada, { to: 'ivy', payload: 'welcome back' });
    expect(await nextAck(ada)).toMatchObject({ delivered: 1 });
    expect(await getSavedCluster(next, held)).toMatchObject({ unread: 1, unread_direct: 1, token: held.token });
  });

  it('reports a damaged file and never overwrites it', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    await saveCluster(app, cluster);
    await app.stop();
    writeFileSync(savedClustersFile(app), '{"c_1": {"handle": 7}}');
    const next = await clustersApp({ root: app.root });
    for (const reply of [
      await next.call('GET', '/rooms'),
      await next.call('POST', '/rooms', { cluster_id: cluster.id }),
    ]) {
      expect([reply.status, reply.body]).toMatchObject([503, { error: 'store_readonly' }]);
    }
    expect(readFileSync(savedClustersFile(next), 'utf8')).toBe('{"c_1": {"handle": 7}}');
    expect(next.log.join('\n')).toContain('is damaged');
    await next.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin });
    expect((await next.call('GET', `/v1/clusters/${cluster.id}`)).status).toBe(404);
  });
});
