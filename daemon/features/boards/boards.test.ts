import { describe, expect, it } from 'vitest';
import type { BoardHistory, BoardList, BoardRead } from '../../contract/boards.js';
import { type ACluster, type BoardsApp, boardsApp } from '../../testing/apps/boards-app.js';

const DAY_MS = 86_400_000;
const FLATS = { slug: 'flats', name: 'Flats', kind: 'generic', about: 'Rooms to let.' };

const history = async (app: BoardsApp, { id, token }: ACluster, query = '') =>
  (await app.call('GET', `/v1/clusters/${id}/history${query}`, undefined, { 'x-cluster-token': token }))
    .body as BoardHistory;
const heard = (app: BoardsApp) => app.frames.map(([, frame]) => frame);
const changes = (app: BoardsApp) => app.events.filter(({ type }) => type === 'board.changed');

describe('Cluster states', () => {
  it('allows boards after PATCH boards_enabled: true with the admin token and responds 409 before', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({}, false);
    for (const [method, path, body] of [
      ['POST', '', FLATS],
      ['GET', '/flats', undefined],
      ['PATCH', '/flats', { name: 'x' }],
      ['DELETE', '/flats', undefined],
      ['POST', '/flats/posts?agent=ada', { title: 'x' }],
      ['GET', '/flats/posts', undefined],
      ['GET', '/flats/posts/p_0', undefined],
      ['DELETE', '/flats/posts/p_0?agent=ada', undefined],
    ] as const) {
      const reply = await app.onBoards(cluster, method, path, body, cluster.admin);
      expect([method, path, reply.status, reply.body]).toMatchObject([method, path, 409, { error: 'boards_disabled' }]);
    }
    await app.call(
      'PATCH',
      `/v1/clusters/${cluster.id}`,
      { boards_enabled: true },
      { 'x-cluster-token': cluster.admin },
    );
    expect((await app.onBoards(cluster, 'POST', '', FLATS, cluster.admin)).status).toBe(201);
  });

  it('hides boards that are turned off and restores them unchanged', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    const post = await app.aPost(cluster, board);
    const turn = (boards_enabled: boolean) =>
      app.call('PATCH', `/v1/clusters/${cluster.id}`, { boards_enabled }, { 'x-cluster-token': cluster.admin });
    await turn(false);
    expect((await app.onBoards(cluster, 'GET', '')).body).toEqual({ boards: [], cluster_props: null });
    expect((await app.onBoards(cluster, 'GET', '/flats')).body).toMatchObject({ error: 'boards_disabled' });
    expect(app.surface.boards.findBoard(cluster.id, 'flats')).toBeUndefined();
    expect(app.surface.boards.hasPost(cluster.id, post.id)).toBe(false);
    expect((await history(app, cluster)).count).toBe(2);
    await turn(true);
    expect(((await app.onBoards(cluster, 'GET', '/flats')).body as BoardRead).posts).toEqual([post]);
  });

  it('deletes all board data with the cluster', async () => {
    const app = await boardsApp();
    const [gone, stays] = [await app.aCluster(), await app.aCluster()];
    for (const cluster of [gone, stays]) {
      await app.aBoard(cluster);
      const post = { title: 'x', props: { where: { lat: 1, lon: 2, label: 'There' } } };
      await app.call('POST', `/v1/clusters/${cluster.id}/boards/flats/posts?agent=ada`, post, {
        'idempotency-key': 'one',
      });
    }
    const reply = await app.call('DELETE', `/v1/clusters/${gone.id}`, undefined, { 'x-cluster-token': gone.admin });
    expect(reply.status).toBe(200);
    expect(await app.onBoards(gone, 'GET', '')).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(app.database.sql(`SELECT count(*) AS n FROM shared_answers WHERE instr(scope, ?) > 0`).get(gone.id)).toEqual(
      {
        n: 0,
      },
    );
    expect(
      app.database.sql(`SELECT count(*) AS n FROM shared_answers WHERE instr(scope, ?) > 0`).get(stays.id),
    ).toEqual({
      n: 1,
    });
    for (const table of ['boards', 'posts', 'post_places']) {
      expect([table, app.database.sql(`SELECT count(*) AS n FROM ${table}`).get()]).toEqual([table, { n: 1 }]);
    }
    expect((await history(app, stays)).count).toBe(2);
    expect(app.database.sql('SELECT DISTINCT cluster FROM board_events').all()).toEqual([{ cluster: stays.id }]);
  });
});

describe('Board', () => {
  it('is created by the admin with slug, name, kind, about and props, and sends board_created', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const props = { where: { lat: 52.5, lon: 13.4, label: 'Berlin' }, lang: 'de', limits: { post_max_chars: 100 } };
    const { status, body } = await app.onBoards(
      cluster,
      'POST',
      '',
      { ...FLATS, kind: 'buysell', props },
      cluster.admin,
    );
    const { id, board } = body as { id: string; board: object };
    expect(status).toBe(201);
    expect(id).toMatch(/^b_[0-9a-f]{16}$/);
    const created_at = Math.floor(app.clock.now() / 1000);
    expect(board).toEqual({ ...FLATS, id, kind: 'buysell', props, posts: 0, created_at });
    expect(app.frames).toEqual([[cluster.id, { kind: 'board', event: 'board_created', board: id, slug: 'flats' }]]);
    expect(changes(app)).toMatchObject([{ cluster: cluster.id, board: id }]);
  });

  it('needs slug and name; kind defaults to generic, about to ""', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const create = (body: object) => app.onBoards(cluster, 'POST', '', body, cluster.admin);
    expect(await create({ slug: 'flats', name: 'Flats' })).toMatchObject({
      status: 201,
      body: { board: { slug: 'flats', name: 'Flats', kind: 'generic', about: '' } },
    });
    for (const body of [{ slug: 'cars' }, { name: 'Cars' }]) expect((await create(body)).status).toBe(400);
  });

  it('is deleted by the admin with its posts and sends board_deleted', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    const post = await app.aPost(cluster, board);
    expect(await app.onBoards(cluster, 'DELETE', '/flats', undefined, cluster.admin)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(heard(app).at(-1)).toEqual({ kind: 'board', event: 'board_deleted', board: board.id, slug: 'flats' });
    expect((await app.onBoards(cluster, 'GET', '/flats')).body).toMatchObject({ error: 'board_not_found' });
    expect(app.surface.boards.hasPost(cluster.id, post.id)).toBe(false);
    const again = await app.aBoard(cluster);
    expect(((await app.onBoards(cluster, 'GET', '/flats')).body as BoardRead).posts).toEqual([]);
    expect(again.id).not.toBe(board.id);
  });

  it('is read by id or slug, with its effective rules and live posts, newest first', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ props: { lang: 'en', limits: { post_max_chars: 50 } } });
    const board = await app.aBoard(cluster, { props: { lang: 'de' } });
    const posts = [
      await app.aPost(cluster, board, { title: 'First' }),
      await app.aPost(cluster, board, { title: 'Second' }),
    ];
    for (const name of ['flats', board.id]) {
      expect((await app.onBoards(cluster, 'GET', `/${name}`)).body).toEqual({
        board: { ...board, posts: 2 },
        effective_props: { lang: 'de', limits: { post_max_chars: 50 } },
        posts: posts.reverse(),
        next_cursor: null,
      });
      posts.reverse();
    }
    const other = await app.aCluster();
    expect((await app.onBoards(other, 'GET', `/${board.id}`)).body).toMatchObject({ error: 'board_not_found' });
  });

  it('is edited by PATCH, which merges props by key, clears a key with null and restores inheritance with props: null', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ props: { lang: 'en' } });
    const board = await app.aBoard(cluster, { props: { lang: 'de', where: 'none' } });
    const edit = async (body: object) =>
      ((await app.onBoards(cluster, 'PATCH', '/flats', body, cluster.admin)).body as { board: object }).board;
    expect(await edit({ name: 'Homes', about: '' })).toEqual({ ...board, name: 'Homes', about: '' });
    expect(await edit({ props: { limits: { post_max_chars: 5 }, lang: null } })).toMatchObject({
      name: 'Homes',
      props: { where: 'none', limits: { post_max_chars: 5 } },
    });
    expect(await edit({ props: null })).toMatchObject({ props: null });
    expect((await app.onBoards(cluster, 'GET', '/flats')).body).toMatchObject({ effective_props: { lang: 'en' } });
    expect(changes(app)).toHaveLength(4);
    expect(heard(app)).toHaveLength(1);
  });

  it("is listed with each level's own props, oldest first, with its number of live posts", async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ props: { lang: 'en' } });
    const flats = await app.aBoard(cluster, { props: { where: 'none' } });
    await app.aBoard(cluster, { slug: 'events', kind: 'events' });
    await app.aPost(cluster, flats, { ttl: '24h' });
    await app.aPost(cluster, flats, { ttl: 'forever' });
    app.clock.step(DAY_MS);
    const { boards, cluster_props } = (await app.onBoards(cluster, 'GET', '')).body as BoardList;
    expect(boards.map(({ slug, props, posts }) => [slug, props, posts])).toEqual([
      ['flats', { where: 'none' }, 1],
      ['events', null, 0],
    ]);
    expect(cluster_props).toEqual({ lang: 'en' });
  });

  it('responds 409 slug_taken to a slug in use in the same cluster only', async () => {
    const app = await boardsApp();
    const [one, two] = [await app.aCluster(), await app.aCluster()];
    await app.aBoard(one);
    expect(await app.onBoards(one, 'POST', '', FLATS, one.admin)).toMatchObject({
      status: 409,
      body: { error: 'slug_taken' },
    });
    expect((await app.onBoards(two, 'POST', '', FLATS, two.admin)).status).toBe(201);
  });

  it('responds 409 board_limit to the 51st board', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    for (let i = 1; i <= 50; i += 1) await app.aBoard(cluster, { slug: `board-${i}` });
    const more = () => app.onBoards(cluster, 'POST', '', FLATS, cluster.admin);
    expect(await more()).toMatchObject({ status: 409, body: { error: 'board_limit', limit: 50 } });
    await app.onBoards(cluster, 'DELETE', '/board-7', undefined, cluster.admin);
    expect((await more()).status).toBe(201);
  });

  it('responds 400 with the path of the invalid field', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const table: [name: string, wrong: object, path: string][] = [
      ['a charter of more than 400 characters', { about: 'ä'.repeat(401) }, 'about'],
      ['an upper-case slug', { slug: 'Flats' }, 'slug'],
      ['a slug that begins with a hyphen', { slug: '-flats' }, 'slug'],
      ['a slug of 41 characters', { slug: 'a'.repeat(41) }, 'slug'],
      ['a slug with a newline', { slug: 'flats\n' }, 'slug'],
      ['a kind that there is not', { kind: 'chat' }, 'kind'],
      ['no name', { name: '' }, 'name'],
      ['an unknown key', { colour: 'red' }, 'colour'],
      ['an unknown prop', { props: { colour: 'red' } }, 'props.colour'],
      ['a place off the map', { props: { where: { lat: 91, lon: 0, label: 'x' } } }, 'props.where.lat'],
      ['a place that is no number', { props: { where: { lat: '1', lon: 0, label: 'x' } } }, 'props.where.lat'],
      ['an age that is no integer', { props: { entry: { age_min: 17.5 } } }, 'props.entry.age_min'],
      ['a limit of no characters', { props: { limits: { post_max_chars: 0 } } }, 'props.limits.post_max_chars'],
    ];
    for (const [name, wrong, path] of table) {
      const { status, body } = await app.onBoards(cluster, 'POST', '', { ...FLATS, ...wrong }, cluster.admin);
      expect([name, status, (body as { path: string }).path]).toEqual([name, 400, path]);
    }
    expect((await app.onBoards(cluster, 'GET', '')).body).toMatchObject({ boards: [] });
  });

  it('accepts a charter of 400 characters, whatever their size in bytes', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    expect((await app.aBoard(cluster, { about: '😀'.repeat(400) })).about).toHaveLength(800);
  });
});

describe('Authentication', () => {
  it("responds 401 to create, edit and delete without the admin token, with a ck_ or with another cluster's ak_", async () => {
    const app = await boardsApp();
    for (const visibility of ['public', 'private'] as const) {
      const cluster = await app.aCluster({ visibility });
      const other = await app.aCluster({ visibility });
      await app.aBoard(cluster);
      for (const token of [undefined, cluster.token, other.admin, 'ak_nonsense']) {
        for (const [method, path, body] of [
          ['POST', '', { ...FLATS, slug: 'other' }],
          ['PATCH', '/flats', { name: 'x' }],
          ['DELETE', '/flats', undefined],
        ] as const) {
          const reply = await app.onBoards(cluster, method, path, body, token);
          expect([method, reply.status, reply.body]).toMatchObject([method, 401, { error: 'unauthorized' }]);
        }
      }
      expect((await app.onBoards(cluster, 'GET', '/flats', undefined, cluster.token)).body).toMatchObject({
        board: { name: 'Flats' },
      });
    }
  });

  it('accepts the admin token in each place, also beside the other token of the cluster', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const path = `/v1/clusters/${cluster.id}/boards`;
    const board = (slug: string) => ({ ...FLATS, slug });
    expect((await app.call('POST', path, board('a'), { authorization: `Bearer ${cluster.admin}` })).status).toBe(201);
    expect((await app.call('POST', `${path}?token=${cluster.admin}`, board('b'))).status).toBe(201);
    const two = { authorization: `Bearer ${cluster.admin}`, 'x-cluster-token': cluster.token };
    expect((await app.call('POST', path, board('c'), two)).status).toBe(201);
    for (const read of [path, `${path}/a/posts`]) {
      const foreign = { 'x-cluster-token': 'ak_other' };
      expect((await app.call('GET', `${read}?token=${cluster.token}`, undefined, foreign)).status).toBe(401);
      expect((await app.call('GET', `${read}?token=${cluster.token}&token=${cluster.admin}`)).status).toBe(401);
    }
  });

  it('responds identically to a private cluster without its token and an unknown one, for boards and posts', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ visibility: 'private' });
    const board = await app.aBoard(cluster);
    const post = await app.aPost(cluster, board);
    const unknown = { ...cluster, id: 'c_00000000000000000000' };
    for (const token of [undefined, 'ck_nonsense']) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['GET', '/flats', undefined],
        ['GET', '/flats/posts', undefined],
        ['GET', `/flats/posts/${post.id}`, undefined],
        ['POST', '/flats/posts?agent=eve', { title: 'x' }],
        ['DELETE', `/flats/posts/${post.id}?agent=ada`, undefined],
      ] as const) {
        const [hidden, missing] = [
          await app.onBoards(cluster, method, path, body, token),
          await app.onBoards(unknown, method, path, body, token),
        ];
        expect([method, path, hidden.status, hidden.text]).toEqual([method, path, 404, missing.text]);
      }
    }
    for (const token of [cluster.token, cluster.admin]) {
      expect((await app.onBoards(cluster, 'GET', `/flats/posts/${post.id}`, undefined, token)).body).toEqual({ post });
    }
  });

  it('responds 429 after twenty wrong tokens a minute, for private and unknown clusters, and still accepts the right one', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ visibility: 'private' });
    for (const one of [cluster, { ...cluster, id: 'c_00000000000000000000' }]) {
      const statuses = new Map<number, number>();
      for (let i = 0; i < 22; i += 1) {
        const { status } = await app.onBoards(one, 'GET', '', undefined, `ck_wrong${i}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      expect([...statuses]).toEqual([
        [404, 20],
        [429, 2],
      ]);
    }
    expect((await app.onBoards(cluster, 'GET', '', undefined, cluster.token)).status).toBe(200);
  });

  it('ignores a wrong token where none is needed and finds a public cluster by its slug', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ name: 'Harbour town' });
    await app.aBoard(cluster);
    expect((await app.onBoards(cluster, 'GET', '/flats', undefined, 'ck_nonsense')).status).toBe(200);
    expect((await app.onBoards({ ...cluster, id: 'harbour-town' }, 'GET', '/flats')).status).toBe(200);
  });
});
