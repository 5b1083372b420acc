import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ClusterAnswer, type ClusterCreated, type ClusterList, COMMONS } from '../../contract/clusters.js';
import { card, upgrade, with_ } from '../../testing/apps/cluster-requests.js';
import { type ClustersApp, clustersApp } from '../../testing/apps/clusters-app.js';

const UNKNOWN = 'c_00000000000000000000';
const create = (app: ClustersApp, body: unknown, headers = {}) => app.call('POST', '/v1/clusters', body, headers);
const catalog = async (app: ClustersApp, query = '') =>
  (await app.call('GET', `/v1/clusters${query}`)).body as ClusterList;

describe('Creating a cluster', () => {
  it('creates a private cluster by default and returns its credentials and socket address', async () => {
    const app = await clustersApp();
    const { status, body } = await create(app, {});
    const made = body as ClusterCreated;
    expect(status).toBe(201);
    expect(made).toEqual({
      cluster_id: expect.stringMatching(/^c_[0-9a-f]{20}$/),
      token: expect.stringMatching(/^ck_[A-Za-z0-9_-]{43}$/),
      admin_token: expect.stringMatching(/^ak_[A-Za-z0-9_-]{43}$/),
      visibility: 'private',
      ws: `ws://127.0.0.1:${app.port}/v1/clusters/${made.cluster_id}/ws?token=${made.token}`,
      protocol: 'mesh-wall/1',
    });
    const { cluster } = await card(app, made.cluster_id, with_(made.token as string));
    expect(cluster).toEqual({
      id: made.cluster_id,
      slug: null,
      name: 'Untitled',
      topic: '',
      description: '',
      visibility: 'private',
      boards_enabled: false,
      props: null,
      created_at: Math.floor(app.clock.now() / 1000),
      online: 0,
    });
  });

  it('creates a public cluster with a slug, a socket address without a token, and a catalog row', async () => {
    const app = await clustersApp();
    const { body } = await create(app, {
      visibility: 'public',
      name: 'Häfen & Lichter!',
      topic: '#harbour',
      description: 'Lights.',
    });
    const made = body as ClusterCreated;
    expect(made.ws).toBe(`ws://127.0.0.1:${app.port}/v1/clusters/${made.cluster_id}/ws`);
    const row = (await catalog(app)).clusters.find(({ id }) => id === made.cluster_id);
    expect(row).toMatchObject({
      slug: 'hafen-lichter',
      name: 'Häfen & Lichter!',
      topic: '#harbour',
      description: 'Lights.',
      boards: 0,
      where: null,
    });
  });

  it.each<[string, unknown]>([
    ['an unknown key', { owner: 'me' }],
    ['an empty name', { name: '' }],
    ['a name of 81 characters', { name: 'x'.repeat(81) }],
    ['a topic of 81 characters', { topic: 'x'.repeat(81) }],
    ['a description of 1,001 characters', { description: 'x'.repeat(1001) }],
    ['an unknown visibility', { visibility: 'secret' }],
    ['a name that is no text', { name: 7 }],
  ])('responds 400 to %s', async (_name, body) => {
    const app = await clustersApp();
    expect((await create(app, body)).status).toBe(400);
    expect((await catalog(app)).count).toBe(1);
  });

  it('creates one cluster per Idempotency-Key and replays it with null in place of every secret', async () => {
    const app = await clustersApp();
    const key = { 'idempotency-key': 'one' };
    const [first, again] = await Promise.all([create(app, { name: 'A' }, key), create(app, { name: 'A' }, key)]);
    const made = first.body as ClusterCreated;
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...made, token: null, admin_token: null, ws: null });
    expect((await create(app, { name: 'B' }, key)).body).toMatchObject({ error: 'idempotency_mismatch' });
    const shown = { 'idempotency-key': 'two' };
    const open = (await create(app, { visibility: 'public' }, shown)).body as ClusterCreated;
    expect((await create(app, { visibility: 'public' }, shown)).body).toEqual({
      ...open,
      token: null,
      admin_token: null,
    });
    expect(app.events.filter(({ type }) => type === 'cluster.created')).toHaveLength(2);
  });

  it('publishes cluster.created without a secret', async () => {
    const app = await clustersApp();
    const { id, token, admin } = await app.aCluster();
    expect(app.events).toContainEqual(expect.objectContaining({ type: 'cluster.created', cluster: id }));
    for (const secret of [token, admin]) expect(JSON.stringify(app.events)).not.toContain(secret);
  });
});

describe('Slugs', () => {
  it('are never assigned again, even after their cluster was deleted', async () => {
    const app = await clustersApp();
    const slugs: (string | null)[] = [];
    for (const name of ['Foo', 'foo 2', 'FOO!', 'Foo', '日本', '!!!', 'The Commons']) {
      const { id } = await app.aCluster({ name, visibility: 'public' });
      slugs.push((await card(app, id)).cluster.slug);
    }
    expect(slugs).toEqual(['foo', 'foo-2', 'foo-3', 'foo-4', 'cluster', 'cluster-2', 'the-commons-2']);
    const gone = await app.aCluster({ name: 'Gone', visibility: 'public' });
    await app.call('DELETE', `/v1/clusters/${gone.id}`, undefined, with_(gone.admin));
    const next = await app.aCluster({ name: 'Gone', visibility: 'public' });
    expect((await card(app, next.id)).cluster.slug).toBe('gone-2');
  });

  it('do not exist for private clusters, whose existence they would reveal', async () => {
    const app = await clustersApp();
    await app.aCluster({ name: 'Hidden' });
    const { id } = await app.aCluster({ name: 'Hidden', visibility: 'public' });
    expect((await card(app, 'hidden')).cluster.id).toBe(id);
  });
});

describe('Catalog', () => {
  it('lists public clusters only, page by page', async () => {
    const app = await clustersApp();
    const made: string[] = [COMMONS.id];
    for (let n = 0; n < 5; n += 1) {
      made.push((await app.aCluster({ visibility: 'public' })).id);
      await app.aCluster();
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: ClusterList = await catalog(app, `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.count).toBe(made.length);
      seen.push(...page.clusters.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(made);
    for (const query of ['?cursor=x', '?limit=0', '?limit=201', '?cursor=-1'])
      expect((await app.call('GET', `/v1/clusters${query}`)).status).toBe(400);
  });

  it('includes the number of boards and the place', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    await app.aBoard(cluster, 'jobs');
    const where = { lat: 53.5, lon: 10, label: 'Hamburg' };
    await app.call('PATCH', `/v1/clusters/${cluster.id}`, { props: { where } }, with_(cluster.admin));
    const find = async () => (await catalog(app)).clusters.find(({ id }) => id === cluster.id);
    expect(await find()).toMatchObject({ boards: 1, where, boards_enabled: true });
    await app.call('PATCH', `/v1/clusters/${cluster.id}`, { boards_enabled: false }, with_(cluster.admin));
    expect(await find()).toMatchObject({ boards: 0, boards_enabled: false });
  });
});

describe('States › existing → boards enabled', () => {
  it('enables boards by PATCH with the admin token', async () => {
    const app = await clustersApp();
    const { id, admin } = await app.aCluster({ visibility: 'public' });
    const reply = await app.call('PATCH', `/v1/clusters/${id}`, { boards_enabled: true }, with_(admin));
    expect([reply.status, (reply.body as ClusterAnswer).cluster.boards_enabled]).toEqual([200, true]);
    expect(app.events.at(-1)).toMatchObject({ type: 'cluster.updated', cluster: id });
    await app.call('PATCH', `/v1/clusters/${id}`, { boards_enabled: true }, with_(admin));
    await app.call('PATCH', `/v1/clusters/${id}`, {}, with_(admin));
    expect(app.events.filter(({ type }) => type === 'cluster.updated')).toHaveLength(1);
  });

  it('merges props by key and by member, and clears either with null', async () => {
    const app = await clustersApp();
    const { id, admin } = await app.aCluster({ visibility: 'public' });
    const patch = async (props: unknown) =>
      ((await app.call('PATCH', `/v1/clusters/${id}`, { props }, with_(admin))).body as ClusterAnswer).cluster.props;
    expect(await patch({ lang: 'en', entry: { age_min: 18, require: ['human'] } })).toEqual({
      lang: 'en',
      entry: { age_min: 18, require: ['human'] },
    });
    expect(await patch({ entry: { age_min: 21 }, where: 'none' })).toEqual({
      lang: 'en',
      entry: { age_min: 21, require: ['human'] },
      where: 'none',
    });
    expect(await patch({ entry: { require: null } })).toMatchObject({ entry: { age_min: 21 } });
    expect(await patch({ lang: null, entry: null })).toEqual({ where: 'none' });
    expect(await patch({ where: null })).toBeNull();
    expect(
      (await app.call('PATCH', `/v1/clusters/${id}`, { props: { color: 'red' } }, with_(admin))).body,
    ).toMatchObject({
      error: 'unknown_key',
    });
  });

  it('responds 401 without the admin token, before it reads the body, and 404 to an unknown cluster', async () => {
    const app = await clustersApp();
    const { id, token } = await app.aCluster({ visibility: 'public' });
    const other = await app.aCluster();
    for (const headers of [{}, with_(token), with_(other.admin), with_('ak_wrong')]) {
      for (const body of [{ boards_enabled: true }, { nonsense: 1 }]) {
        expect((await app.call('PATCH', `/v1/clusters/${id}`, body, headers)).status).toBe(401);
        expect((await app.call('PATCH', `/v1/clusters/${UNKNOWN}`, body, headers)).status).toBe(404);
      }
    }
  });
});

describe('States › existing → deleted', () => {
  it('deletes with the admin token as a header, as a bearer token or in the query', async () => {
    const app = await clustersApp();
    for (const send of ['header', 'bearer', 'query']) {
      const { id, admin } = await app.aCluster({ visibility: 'public' });
      const headers: Record<string, string> =
        send === 'header' ? with_(admin) : send === 'bearer' ? { authorization: `Bearer ${admin}` } : {};
      const reply = await app.call(
        'DELETE',
        `/v1/clusters/${id}${send === 'query' ? `?token=${admin}` : ''}`,
        undefined,
        headers,
      );
      expect([reply.status, reply.body]).toEqual([200, { ok: true, cluster_id: id }]);
      expect(app.events.at(-1)).toMatchObject({ type: 'cluster.deleted', cluster: id });
    }
  });

  it('treats the id as if it had never existed and deletes its boards and posts', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ name: 'Gone', visibility: 'public' });
    await app.aBoard(cluster, 'jobs');
    await app.aPost(cluster, 'jobs');
    await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, with_(cluster.admin));
    const path = `/v1/clusters/${cluster.id}`;
    const never = (text: string) => text.replaceAll(UNKNOWN, cluster.id);
    for (const [method, rest, body] of [
      ['GET', ''],
      ['GET', '/boards'],
      ['GET', '/history'],
      ['DELETE', ''],
      ['PATCH', '', {}],
    ] as const) {
      const reply = await app.call(method, `${path}${rest}`, body, with_(cluster.admin));
      const unknown = await app.call(method, `/v1/clusters/${UNKNOWN}${rest}`, body, with_(cluster.admin));
      expect([reply.status, reply.text]).toEqual([unknown.status, never(unknown.text)]);
    }
    expect(await upgrade(app, cluster.id, `agent=a&token=${cluster.token}`)).toMatchObject({ status: 401 });
    expect((await card(app, 'gone')).status).toBe(404);
    expect((await catalog(app)).clusters.map(({ id }) => id)).toEqual([COMMONS.id]);
    for (const table of ['boards', 'posts', 'clusters']) {
      const { rows } = app.database.sql(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number };
      expect([table, rows]).toEqual([table, table === 'clusters' ? 1 : 0]);
    }
  });

  it('responds 401 without the admin token and 404 to an unknown cluster', async () => {
    const app = await clustersApp();
    const { id, token, admin } = await app.aCluster();
    const other = await app.aCluster();
    for (const headers of [{}, with_(token), with_(other.admin), with_(`${admin}x`), with_(admin.slice(0, -1))]) {
      expect((await app.call('DELETE', `/v1/clusters/${id}`, undefined, headers)).status).toBe(401);
      expect((await app.call('DELETE', `/v1/clusters/${UNKNOWN}`, undefined, headers)).status).toBe(404);
    }
    const foreign = with_(other.admin);
    expect((await app.call('DELETE', `/v1/clusters/${id}?token=${admin}`, undefined, foreign)).status).toBe(401);
    expect((await card(app, id, with_(token))).status).toBe(200);
  });
});

describe('The commons', () => {
  it('exists from the first start with its fixed id and boards enabled, and is created once', async () => {
    const first = await clustersApp();
    expect((await card(first, COMMONS.id)).cluster).toMatchObject({
      ...COMMONS,
      visibility: 'public',
      boards_enabled: true,
    });
    expect((await card(first, COMMONS.slug)).cluster.id).toBe(COMMONS.id);
    await first.stop();
    const second = await clustersApp({ root: first.root });
    expect((await catalog(second)).count).toBe(1);
  });

  it("is administered with the token in the operator's file, and is not recreated once deleted", async () => {
    const first = await clustersApp();
    const { admin_token } = JSON.parse(readFileSync(`${first.root}/commons.json`, 'utf8')) as { admin_token: string };
    const renewed = await first.call(
      'PATCH',
      `/v1/clusters/${COMMONS.id}`,
      { props: { lang: 'en' } },
      with_(admin_token),
    );
    expect(renewed.status).toBe(200);
    expect((await first.call('DELETE', `/v1/clusters/${COMMONS.id}`, undefined, with_(admin_token))).status).toBe(200);
    await first.stop();
    const second = await clustersApp({ root: first.root });
    expect((await card(second, COMMONS.id)).status).toBe(404);
  });
});
