import { describe, expect, it } from 'vitest';
import { type Post, type PostList, TTLS } from '../../contract/boards.js';
import { type ACluster, type BoardsApp, boardsApp } from '../../testing/apps/boards-app.js';

const DAY_MS = 86_400_000;
const list = async (app: BoardsApp, cluster: ACluster, query = '', board = 'flats') =>
  (await app.onBoards(cluster, 'GET', `/${board}/posts${query}`, undefined, cluster.token)).body as PostList;
const titles = ({ posts }: PostList) => posts.map(({ title }) => title);
const pin = (app: BoardsApp, cluster: ACluster, body: object, query = 'agent=ada', headers = {}) =>
  app.call('POST', `/v1/clusters/${cluster.id}/boards/flats/posts?${query}`, body, {
    'x-cluster-token': cluster.token,
    ...headers,
  });
const lastFrame = (app: BoardsApp) => app.frames.at(-1)?.[1];

/** Resolves with the event at index `since` as soon as it was published. */
const nextChange = async (app: BoardsApp, since: number) => {
  while (app.events.length <= since) await new Promise((resolve) => setImmediate(resolve));
  return app.events[since];
};

describe('Post states', () => {
  it('makes a post created by a member live and sends a post_created frame', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    const file = { url: 'https://files.example/plan.pdf', mime: 'application/pdf; version="1.7"; x=y' };
    const props = { where: { lat: 52.5, lon: 13.4, label: 'Berlin' }, lang: 'de' };
    const { status, body } = await pin(app, cluster, {
      title: 'A room',
      body: 'Two windows.',
      ttl: '30d',
      file,
      props,
    });
    const { id, post } = body as { id: string; post: Post };
    const created_at = Math.floor(app.clock.now() / 1000);
    expect([status, id]).toEqual([201, expect.stringMatching(/^p_[0-9a-f]{16}$/)]);
    expect(post).toEqual({
      id,
      board: board.id,
      title: 'A room',
      body: 'Two windows.',
      ttl: '30d',
      author: 'ada',
      created_at,
      expires_at: created_at + 30 * 86_400,
      file,
      props,
    });
    expect(lastFrame(app)).toEqual({
      kind: 'board',
      event: 'post_created',
      board: board.id,
      slug: 'flats',
      post: id,
      title: 'A room',
    });
    expect((await app.onBoards(cluster, 'GET', `/flats/posts/${id}`)).body).toEqual({ post });
    expect(await list(app, cluster)).toEqual({ posts: [post], count: 1, next_cursor: null });
  });

  it.each(TTLS.filter((ttl) => ttl !== 'forever'))(
    'excludes an expired post with a TTL of %s from reads, even before it is deleted',
    async (ttl) => {
      const app = await boardsApp();
      const cluster = await app.aCluster();
      const board = await app.aBoard(cluster);
      const stays = await app.aPost(cluster, board, { ttl: 'forever' });
      const { id, expires_at } = await app.aPost(cluster, board, { ttl });
      // Only the wall clock moves, so that no timer fires and nothing is deleted.
      app.clock.step((expires_at ?? 0) * 1000 - app.clock.now() - 1);
      expect((await list(app, cluster)).count).toBe(2);
      app.clock.step(1);
      expect((await list(app, cluster)).posts).toEqual([stays]);
      expect((await app.onBoards(cluster, 'GET', '/flats')).body).toMatchObject({
        board: { posts: 1 },
        posts: [{ id: stays.id }],
      });
      expect(await app.onBoards(cluster, 'GET', `/flats/posts/${id}`)).toMatchObject({
        status: 404,
        body: { error: 'post_not_found' },
      });
      expect(await app.onBoards(cluster, 'DELETE', `/flats/posts/${id}?agent=ada`)).toMatchObject({ status: 404 });
    },
  );

  it('deletes an expired post in time, with post_expired in the history and no frame', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    await app.aPost(cluster, board, { ttl: '7d' });
    const first = await app.aPost(cluster, board, { ttl: '24h', title: 'Short' });
    const [frames, events] = [app.frames.length, app.events.length];
    app.clock.advance(DAY_MS - 1000);
    app.clock.advance(1000);
    expect(await nextChange(app, events)).toMatchObject({
      type: 'board.changed',
      cluster: cluster.id,
      board: board.id,
    });
    expect(app.database.sql('SELECT count(*) AS n FROM posts').get()).toEqual({ n: 1 });
    const [newest] = app.surface.boards.listHistory(
      { cluster: cluster.id, credential: cluster.token, isAdult: false },
      {},
    ).events;
    expect(newest).toMatchObject({ event: 'post_expired', post: first.id, title: 'Short', ts: first.expires_at });
    expect(app.frames).toHaveLength(frames);
    app.clock.advance(6 * DAY_MS);
    await nextChange(app, events + 1);
    expect(app.database.sql('SELECT count(*) AS n FROM posts').get()).toEqual({ n: 0 });
  });

  it('deletes at startup the posts that expired while the daemon was stopped', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    await app.aPost(cluster, board, { ttl: '24h' });
    await app.stop();
    app.clock.step(2 * DAY_MS);
    const next = await boardsApp({ root: app.root, clock: app.clock });
    expect(next.database.sql('SELECT count(*) AS n FROM posts').get()).toEqual({ n: 0 });
    expect((await list(next, cluster)).count).toBe(0);
  });

  it('lets the author or the admin delete a post and sends a post_deleted frame', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    const [one, two] = [await app.aPost(cluster, board), await app.aPost(cluster, board)];
    const remove = (id: string, query: string, token?: string) =>
      app.onBoards(cluster, 'DELETE', `/flats/posts/${id}${query}`, undefined, token);
    for (const [query, token] of [
      ['?agent=eve', undefined],
      ['?agent=Ada', undefined],
      ['', undefined],
      ['?agent=eve', cluster.token],
    ] as const) {
      expect(await remove(one.id, query, token)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    }
    expect(await remove(one.id, '?agent=ada')).toMatchObject({ status: 200, body: { ok: true } });
    expect(lastFrame(app)).toEqual({
      kind: 'board',
      event: 'post_deleted',
      board: board.id,
      slug: 'flats',
      post: one.id,
      title: 'A room',
    });
    expect((await remove(two.id, '', cluster.admin)).status).toBe(200);
    expect(await remove(two.id, '', cluster.admin)).toMatchObject({ status: 404, body: { error: 'post_not_found' } });
    expect((await list(app, cluster)).count).toBe(0);
  });

  it('finds a post on its own board only', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const [flats] = [await app.aBoard(cluster), await app.aBoard(cluster, { slug: 'events' })];
    const { id } = await app.aPost(cluster, flats);
    expect(await app.onBoards(cluster, 'GET', `/events/posts/${id}`)).toMatchObject({
      status: 404,
      body: { error: 'post_not_found' },
    });
    expect((await app.onBoards(cluster, 'DELETE', `/events/posts/${id}`, undefined, cluster.admin)).status).toBe(404);
  });
});

describe('Posting', () => {
  it('requires a valid handle as agent, and membership of a private cluster, also for deletion', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ visibility: 'private' });
    const board = await app.aBoard(cluster);
    for (const query of [
      '',
      'agent=',
      'agent=%20ada',
      'agent=a%00b',
      `agent=${'x'.repeat(65)}`,
      'agent=a%E2%80%AEb',
      'agent=a&agent=b',
    ]) {
      expect([query, (await pin(app, cluster, { title: 'x' }, query)).status]).toEqual([query, 400]);
    }
    expect((await pin(app, cluster, { title: 'x' }, 'agent=ada', { 'x-cluster-token': 'ck_wrong' })).status).toBe(404);
    const { id } = await app.aPost(cluster, board, {}, 'Ünï 名');
    const agent = encodeURIComponent('Ünï 名'.normalize('NFD'));
    const path = `/v1/clusters/${cluster.id}/boards/flats/posts/${id}?agent=${agent}`;
    expect((await app.call('DELETE', path)).status).toBe(404);
    expect((await app.call('DELETE', `${path}&token=${cluster.token}`)).status).toBe(200);
    const other = await app.aPost(cluster, board, {}, 'lamp');
    const of = `/v1/clusters/${cluster.id}/boards/flats/posts/${other.id}?agent=horn&token=${cluster.token}`;
    expect((await app.call('DELETE', of, undefined, { 'x-cluster-token': 'ak_other' })).status).toBe(401);
    expect((await app.call('DELETE', of, undefined, { 'x-cluster-token': cluster.admin })).status).toBe(200);
  });

  it('responds 422 post_too_long when title and body exceed limits.post_max_chars in code points', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ props: { limits: { post_max_chars: 10 } } });
    await app.aBoard(cluster);
    expect((await pin(app, cluster, { title: '😀'.repeat(4), body: 'ä'.repeat(6) })).status).toBe(201);
    expect(await pin(app, cluster, { title: '😀'.repeat(5), body: 'ä'.repeat(6) })).toMatchObject({
      status: 422,
      body: { error: 'post_too_long', limit: 10, length: 11 },
    });
    await app.onBoards(cluster, 'PATCH', '/flats', { props: { limits: { post_max_chars: 3 } } }, cluster.admin);
    expect(await pin(app, cluster, { title: 'Four' })).toMatchObject({ status: 422, body: { limit: 3, length: 4 } });
    await app.onBoards(cluster, 'PATCH', '/flats', { props: { limits: { post_max_chars: 65_536 } } }, cluster.admin);
    expect((await pin(app, cluster, { title: 'x'.repeat(200), body: 'y'.repeat(65_336) })).status).toBe(201);
  });

  it('responds 409 board_full at 1,000 live posts until one expires', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    await app.aBoard(cluster);
    const visit = { cluster: cluster.id, credential: undefined, isAdult: false };
    const pins = Array.from({ length: 1000 }, (_, i) =>
      app.surface.posts.pin(visit, 'flats', 'ada', { title: `${i}`, ttl: '24h' }),
    );
    await Promise.all(pins);
    const next = () => pin(app, cluster, { title: 'Next' });
    expect(await next()).toMatchObject({ status: 409, body: { error: 'board_full', limit: 1000 } });
    const { posts } = (await app.onBoards(cluster, 'GET', '/flats')).body as PostList;
    expect(posts).toHaveLength(1000);
    app.clock.step(DAY_MS);
    expect((await next()).status).toBe(201);
  });

  it('replays the first result for the same Idempotency-Key, pins once, and responds 422 to another body', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    await app.aBoard(cluster);
    const key = { 'idempotency-key': 'one' };
    const [first, again] = await Promise.all([
      pin(app, cluster, { title: 'x' }, 'agent=ada', key),
      pin(app, cluster, { title: 'x' }, 'agent=ada', key),
    ]);
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(app.frames.filter(([, { event }]) => event === 'post_created')).toHaveLength(1);
    expect(await pin(app, cluster, { title: 'y' }, 'agent=ada', key)).toMatchObject({
      status: 422,
      body: { error: 'idempotency_mismatch' },
    });
    expect((await pin(app, cluster, { title: 'y' }, 'agent=bob', key)).status).toBe(201);
    expect((await list(app, cluster)).count).toBe(2);
    await app.onBoards(cluster, 'DELETE', `/flats/posts/${first.body['id']}?agent=ada`);
    expect(await pin(app, cluster, { title: 'x' }, 'agent=ada', key)).toMatchObject({
      status: 404,
      body: { error: 'post_not_found' },
    });
    expect((await list(app, cluster)).count).toBe(1);
  });

  it('responds 400 with the path of the invalid field', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    await app.aBoard(cluster);
    const table: [name: string, body: object, path: string][] = [
      ['an empty title', { title: '' }, 'title'],
      ['a title of 201 characters', { title: '😀'.repeat(201) }, 'title'],
      ['a body of 65,537 characters', { title: 'x', body: 'y'.repeat(65_537) }, 'body'],
      ['a ttl that there is not', { title: 'x', ttl: '2d' }, 'ttl'],
      [
        'a file that is no reference',
        { title: 'x', file: { url: 'file:///etc/passwd', mime: 'text/plain' } },
        'file.url',
      ],
      ['a file that is stored inline', { title: 'x', file: { url: 'data:,x', mime: 'text/plain' } }, 'file.url'],
      ['a file without a type', { title: 'x', file: { url: 'https://a.example/x' } }, 'file.mime'],
      ['props beyond where and lang', { title: 'x', props: { limits: { post_max_chars: 9 } } }, 'props.limits'],
      ['a language that is none', { title: 'x', props: { lang: 'german language' } }, 'props.lang'],
      ['an unknown key', { title: 'x', pinned: true }, 'pinned'],
    ];
    for (const [name, body, path] of table) {
      const reply = await pin(app, cluster, body);
      expect([name, reply.status, (reply.body as { path: string }).path]).toEqual([name, 400, path]);
    }
    expect((await list(app, cluster)).count).toBe(0);
  });

  it('defaults to 7d, an empty body and null', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    await app.aBoard(cluster);
    const { post } = (await pin(app, cluster, { title: 'x', props: {} })).body as { post: Post };
    expect(post).toMatchObject({
      body: '',
      ttl: '7d',
      expires_at: post.created_at + 7 * 86_400,
      file: null,
      props: null,
    });
  });
});

describe('Reading posts', () => {
  it('returns the newest first, in pages without gaps or duplicates while posts are added and deleted', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    const all: Post[] = [];
    for (let i = 0; i < 7; i += 1) all.unshift(await app.aPost(cluster, board, { title: `${i}` }));
    const first = await list(app, cluster, '?limit=3');
    expect([titles(first), first.count]).toEqual([['6', '5', '4'], 7]);
    await app.aPost(cluster, board, { title: 'new' });
    await app.onBoards(cluster, 'DELETE', `/flats/posts/${all[2]?.id}`, undefined, cluster.admin);
    const second = await list(app, cluster, `?limit=3&cursor=${first.next_cursor}`);
    const third = await list(app, cluster, `?limit=3&cursor=${second.next_cursor}`);
    expect([titles(second), titles(third), third.next_cursor]).toEqual([['3', '2', '1'], ['0'], null]);
    expect([second.count, third.count]).toEqual([7, 7]);
  });

  it('responds 400 to an invalid query', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    await app.aBoard(cluster);
    const queries = [
      'limit=0',
      'limit=201',
      'cursor=x',
      'cursor=-1',
      'km=5',
      'near=1',
      'near=1,2&km=0',
      'near=1,2&km=20001',
      'lang=',
      'x=1',
    ];
    for (const query of [...queries, 'near=1,2&near=3,4']) {
      expect([query, (await app.onBoards(cluster, 'GET', `/flats/posts?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('ends a page before it exceeds 4 Mi characters and continues where it ended', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    const body = 'y'.repeat(65_536);
    await Promise.all(Array.from({ length: 70 }, () => app.aPost(cluster, board, { body })));
    const first = await list(app, cluster, '?limit=200');
    const second = await list(app, cluster, `?limit=200&cursor=${first.next_cursor}`);
    expect([first.posts.length, first.count, second.posts.length, second.next_cursor]).toEqual([63, 70, 7, null]);
    expect((await app.onBoards(cluster, 'GET', '/flats')).body).toMatchObject({
      board: { posts: 70 },
      next_cursor: first.next_cursor,
    });
  });

  it('compares the effective language by its primary subtag and excludes posts without one', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    for (const [title, lang] of [['none'], ['en', 'en'], ['gb', 'en-GB'], ['de', 'DE-at']] as const) {
      await app.aPost(cluster, board, { title, props: lang ? { lang } : null });
    }
    const inLang = async (lang: string) => titles(await list(app, cluster, `?lang=${lang}`));
    expect(await inLang('en')).toEqual(['gb', 'en']);
    expect(await inLang('EN-us')).toEqual(['gb', 'en']);
    expect(await inLang('de')).toEqual(['de']);
    expect(await inLang('fr')).toEqual([]);
    await app.call(
      'PATCH',
      `/v1/clusters/${cluster.id}`,
      { props: { lang: 'de-CH' } },
      { 'x-cluster-token': cluster.admin },
    );
    expect(await inLang('de')).toEqual(['de', 'none']);
    await app.onBoards(cluster, 'PATCH', '/flats', { props: { lang: 'en' } }, cluster.admin);
    expect([await inLang('en'), await inLang('de')]).toEqual([['gb', 'en', 'none'], ['de']]);
  });
});

describe('403 age_gated', () => {
  const ADULTS = { entry: { age_min: 18, require: ['id'] } };

  it('is returned for reads and posts on a board with entry.age_min of 18 or more without adult=1', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster, { props: ADULTS });
    const { id } = await app.aPost(cluster, board);
    for (const adult of ['', 'adult=0&', 'adult=true&', 'adult=&']) {
      for (const path of ['/flats?', '/flats/posts?', `/flats/posts/${id}?`]) {
        const reply = await app.onBoards(cluster, 'GET', `${path}${adult}`, undefined, cluster.admin);
        expect([path, reply.status, reply.body]).toMatchObject([path, 403, { error: 'age_gated', age_min: 18 }]);
      }
      expect(await pin(app, cluster, { title: 'x' }, `${adult}agent=ada`)).toMatchObject({
        status: 403,
        body: { error: 'age_gated' },
      });
    }
    for (const path of ['/flats', '/flats/posts', `/flats/posts/${id}`]) {
      expect((await app.onBoards(cluster, 'GET', `${path}?adult=1`)).status).toBe(200);
    }
    expect((await pin(app, cluster, { title: 'x' }, 'adult=1&agent=ada')).status).toBe(201);
  });

  it('follows the effective rule, inherited from the cluster or set by the board, and is not returned for 17', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ props: ADULTS });
    await app.aBoard(cluster);
    const status = async () => (await app.onBoards(cluster, 'GET', '/flats/posts')).status;
    const set = (props: object | null) => app.onBoards(cluster, 'PATCH', '/flats', { props }, cluster.admin);
    expect(await status()).toBe(403);
    await set({ entry: { age_min: 17 } });
    expect(await status()).toBe(200);
    await set({ entry: { age_min: 21 } });
    expect(await status()).toBe(403);
    await set(null);
    expect(await status()).toBe(403);
  });

  it('protects titles in frames and history as well, while the charter stays readable', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster, { props: ADULTS });
    const { id } = await app.aPost(cluster, board, { title: 'Strong words', ttl: '24h' });
    expect(lastFrame(app)).toEqual({ kind: 'board', event: 'post_created', board: board.id, slug: 'flats', post: id });
    app.clock.step(DAY_MS);
    await app.surface.start();
    const log = await app.call('GET', `/v1/clusters/${cluster.id}/history?token=${cluster.token}`);
    expect(log.body).toMatchObject({
      events: [{ event: 'post_expired' }, { event: 'post_created' }, { event: 'board_created' }],
    });
    expect(log.text).not.toContain('Strong words');
    await app.onBoards(cluster, 'PATCH', '/flats', { props: null }, cluster.admin);
    await app.aPost(cluster, board, { title: 'Mild words' });
    await app.onBoards(cluster, 'PATCH', '/flats', { props: ADULTS }, cluster.admin);
    const read = async (adult = '') =>
      (await app.call('GET', `/v1/clusters/${cluster.id}/history?token=${cluster.token}${adult}`)).text;
    expect([await read(), await read('&adult=1')]).toEqual([
      expect.not.stringContaining('Mild words'),
      expect.stringContaining('Mild words'),
    ]);
    expect((await app.onBoards(cluster, 'GET', '')).body).toMatchObject({
      boards: [{ about: 'Rooms to let.', props: ADULTS }],
    });
  });
});
