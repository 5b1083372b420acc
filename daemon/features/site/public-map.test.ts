import { describe, expect, it } from 'vitest';
import type { MapData, MapPlace } from '../../contract/saved-clusters.js';
import { type ClustersApp, clustersApp, type OwnCluster } from '../../testing/apps/clusters-app.js';

const BERLIN = { lat: 52.5163, lon: 13.3777, label: 'Berlin, at the gate' };
const ANDES = { lat: -33.4489, lon: -70.6693, label: 'Santiago' };

const map = async (app: ClustersApp) => (await app.call('GET', '/v1/map')).body as MapData;
const places = async (app: ClustersApp) => (await map(app)).places;
const setRules = (app: ClustersApp, cluster: OwnCluster, body: object) =>
  app.call('PATCH', `/v1/clusters/${cluster.id}`, body, { 'x-cluster-token': cluster.admin });
const setBoard = (app: ClustersApp, cluster: OwnCluster, slug: string, props: object) =>
  app.call('PATCH', `/v1/clusters/${cluster.id}/boards/${slug}`, { props }, { 'x-cluster-token': cluster.admin });

/** A public cluster in Berlin with a board. */
async function town(app: ClustersApp): Promise<OwnCluster> {
  const cluster = await app.aCluster({ name: 'Town', visibility: 'public' });
  await app.aBoard(cluster, 'lost');
  await setRules(app, cluster, { props: { where: BERLIN } });
  return cluster;
}

describe('GET /v1/map', () => {
  it('lists public clusters by place and live posts by effective place, rounded to one decimal', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    const inherited = await app.aPost(cluster, 'lost', { title: 'A glove' });
    const own = await app.aPost(cluster, 'lost', { title: 'A hat', props: { where: ANDES } });
    expect(await map(app)).toEqual({
      places: [
        {
          kind: 'cluster',
          cluster_id: cluster.id,
          slug: 'town',
          cluster: 'Town',
          label: BERLIN.label,
          lat: 52.5,
          lon: 13.4,
        },
        {
          kind: 'post',
          cluster_id: cluster.id,
          slug: 'town',
          cluster: 'Town',
          post: own.id,
          board: 'lost',
          title: 'A hat',
          label: 'Santiago',
          lat: -33.4,
          lon: -70.7,
        },
        {
          kind: 'post',
          cluster_id: cluster.id,
          slug: 'town',
          cluster: 'Town',
          post: inherited.id,
          board: 'lost',
          title: 'A glove',
          label: BERLIN.label,
          lat: 52.5,
          lon: 13.4,
        },
      ],
      count: 3,
      truncated: false,
    });
  });

  it('reflects each change of props, posts, enabled boards and clusters', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    await app.aPost(cluster, 'lost', { title: 'A glove', ttl: '24h' });
    const labels = async () => (await places(app)).map(({ kind, label }) => `${kind} ${label}`);
    expect(await labels()).toEqual([`cluster ${BERLIN.label}`, `post ${BERLIN.label}`]);
    await setBoard(app, cluster, 'lost', { where: ANDES });
    expect(await labels()).toEqual([`cluster ${BERLIN.label}`, 'post Santiago']);
    await setBoard(app, cluster, 'lost', { where: 'none' });
    expect(await labels()).toEqual([`cluster ${BERLIN.label}`]);
    await setBoard(app, cluster, 'lost', { where: null });
    await setRules(app, cluster, { props: { where: 'none' } });
    expect(await labels()).toEqual([]);
    await setRules(app, cluster, { props: { where: BERLIN }, boards_enabled: false });
    expect(await labels()).toEqual([`cluster ${BERLIN.label}`]);
    await setRules(app, cluster, { boards_enabled: true });
    expect(await labels()).toHaveLength(2);
    app.clock.step(86_400_000);
    expect(await labels()).toHaveLength(1);
    app.clock.step(-86_400_000);
    expect(await labels()).toHaveLength(2);
    await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin });
    expect(await labels()).toEqual([]);
  });

  it('includes a place that is only a label, without coordinates', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    await setRules(app, cluster, { props: { where: { label: 'On the ferry' } } });
    await app.aPost(cluster, 'lost');
    for (const place of await places(app)) expect(place).toMatchObject({ label: 'On the ferry', lat: null, lon: null });
  });

  it('excludes private clusters, their posts, and posts of adults-only boards', async () => {
    const app = await clustersApp();
    const hidden = await app.aCluster({ name: 'Crew' });
    await app.aBoard(hidden, 'plans');
    await setRules(app, hidden, { props: { where: BERLIN } });
    await app.aPost(hidden, 'plans', { title: 'A plan', props: { where: ANDES } });
    const cluster = await town(app);
    await app.aPost(cluster, 'lost', { title: 'For adults', props: { where: ANDES } });
    await setBoard(app, cluster, 'lost', { entry: { age_min: 18 } });
    expect((await places(app)).map(({ kind, cluster: name }) => [kind, name])).toEqual([['cluster', 'Town']]);
  });

  it('returns at most 2,000 places, newest posts first, and sets truncated', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    const { seq } = app.database.sql('SELECT seq FROM boards').get() as { seq: number };
    await app.database.write(() => {
      const insert = app.database.sql(
        'INSERT INTO posts (id, board, created_at, expires_at, has_place, ttl, author, title, body) VALUES (?, ' +
          "?, 0, NULL, 0, 'forever', 'ada', ?, '')",
      );
      for (let n = 0; n < 2_100; n += 1) insert.run(`p_${String(n).padStart(16, '0')}`, seq, `Post ${n}`);
    });
    const data = await map(app);
    expect(data).toMatchObject({ count: 2_000, truncated: true });
    expect((data.places[1] as MapPlace).title).toBe('Post 2099');
    expect(data.places[0]).toMatchObject({ kind: 'cluster', cluster_id: cluster.id });
  });
});
