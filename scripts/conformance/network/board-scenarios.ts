import { ClusterClient } from './cluster-client.js';
import { HttpClient } from './http-client.js';
import {
  absent,
  epochSeconds,
  expectLike,
  holding,
  integer,
  matching,
  refusal,
  type Scenario,
  text,
  without,
} from './scenario.js';

const OSLO = { lat: 59.91, lon: 10.75, label: 'Oslo' };
const BERGEN = { lat: 60.39, lon: 5.32, label: 'Bergen' };

export const BOARDS: readonly Scenario[] = [
  {
    title: 'Boards are opt-in: 409 boards_disabled until boards_enabled is true',
    async check({ url }) {
      const cluster = await ClusterClient.create(url, { visibility: 'public' });
      const board = { slug: 'swap', name: 'Swap' };
      await cluster.askFor(200, 'GET', '/boards', undefined, { boards: [], cluster_props: null });
      await cluster.administer(409, 'POST', '/boards', board, refusal('boards_disabled'));
      await cluster.administer(200, 'PATCH', '', { boards_enabled: true });
      await cluster.administer(201, 'POST', '/boards', board);
    },
  },
  {
    title: 'A board needs slug and name; kind defaults to generic, about to ""',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = { id: matching(/^b_[0-9a-f]{16}$/), slug: 'swap', name: 'Swap', kind: 'generic', about: '' };
      const like = { id: text, board: { ...board, created_at: epochSeconds } };
      await cluster.administer(201, 'POST', '/boards', { slug: 'swap', name: 'Swap' }, like);
      for (const incomplete of [{ slug: 'other' }, { name: 'Other' }])
        await cluster.administer(400, 'POST', '/boards', incomplete, refusal('bad_request'));
    },
  },
  {
    title: 'kind is buysell, events or generic; about has at most 400 characters',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      for (const kind of ['buysell', 'events', 'generic']) await cluster.board(kind, { kind, about: 'x'.repeat(400) });
      const board = { slug: 'other', name: 'Other' };
      await cluster.administer(400, 'POST', '/boards', { ...board, kind: 'chat' }, refusal('bad_request'));
      await cluster.administer(400, 'POST', '/boards', { ...board, about: 'x'.repeat(401) }, refusal('bad_request'));
    },
  },
  {
    title: 'Board create, edit and delete need the admin token: 401 for a member',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const http = new HttpClient(url, cluster.token);
      const path = `${cluster.path}/boards`;
      for (const [method, where, body] of [
        ['POST', path, { slug: 'other', name: 'Other' }],
        ['PATCH', `${path}/${board}`, { name: 'Other' }],
        ['DELETE', `${path}/${board}`, undefined],
      ] as const)
        await http.expect(401, method, where, body === undefined ? {} : { body }, refusal('unauthorized'));
    },
  },
  {
    title: 'A slug stands once: 409 slug_taken',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      await cluster.board('swap');
      await cluster.administer(409, 'POST', '/boards', { slug: 'swap', name: 'Other' }, refusal('slug_taken'));
    },
  },
  {
    title: 'GET .../boards lists the boards plus cluster_props, without a token on a public cluster',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      await cluster.administer(200, 'PATCH', '', { props: { lang: 'no' } });
      const id = await cluster.board('swap', { props: { where: OSLO } });
      await cluster.post(id, 'lamp');
      const board = { id, slug: 'swap', kind: 'generic', about: '', props: { where: OSLO }, posts: 1 };
      const like = { boards: [{ ...board, created_at: epochSeconds }], cluster_props: { lang: 'no' } };
      await cluster.askFor(200, 'GET', '/boards', undefined, like);
    },
  },
  {
    title: 'GET .../boards/<bid> is the board and its live posts; <bid> is its id or its slug',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      await cluster.administer(200, 'PATCH', '', { props: { lang: 'no' } });
      const board = await cluster.board('swap');
      const id = await cluster.post(board, 'lamp');
      const like = { board: { id: board, slug: 'swap' }, effective_props: { lang: 'no' }, posts: [{ id }] };
      for (const name of [board, 'swap']) await cluster.askFor(200, 'GET', `/boards/${name}`, undefined, like);
      await cluster.askFor(404, 'GET', '/boards/none', undefined, refusal('board_not_found'));
    },
  },
  {
    title: 'PATCH edits the charter; props null clears and restores inheritance',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url, {});
      await cluster.administer(200, 'PATCH', '', { props: { lang: 'no' } });
      const board = await cluster.board('swap', { props: { lang: 'sv' } });
      await cluster.administer(200, 'PATCH', `/boards/${board}`, { name: 'Trade', about: 'Be kind.' });
      const edited = { board: { name: 'Trade', about: 'Be kind.' }, effective_props: { lang: 'sv' } };
      await cluster.askFor(200, 'GET', `/boards/${board}`, undefined, edited);
      await cluster.administer(200, 'PATCH', `/boards/${board}`, { props: null });
      await cluster.askFor(200, 'GET', `/boards/${board}`, undefined, { effective_props: { lang: 'no' } });
    },
  },
  {
    title: 'DELETE removes the board together with its posts',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      await cluster.post(board, 'lamp');
      await cluster.administer(200, 'DELETE', `/boards/${board}`, undefined, { ok: true });
      await cluster.askFor(404, 'GET', `/boards/${board}/posts`, undefined, refusal('board_not_found'));
    },
  },
  {
    title: 'Posting on a public cluster needs no token; {title, body} is enough, and ttl is 7d by default',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const post = { id: matching(/^p_[0-9a-f]{16}$/), board, title: 'Rope', body: '', ttl: '7d', author: 'lamp' };
      const like = { post: { ...post, created_at: epochSeconds, expires_at: integer, file: null, props: null } };
      const path = `/boards/${board}/posts?agent=lamp`;
      const made = (await cluster.askFor(201, 'POST', path, { title: 'Rope', body: '' }, like)).post;
      expectLike('seven days', made.expires_at - made.created_at, 7 * 86_400);
    },
  },
  {
    title: 'ttl is 24h, 7d, 30d, 1y or forever; another one is a 400',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const path = `/boards/${board}/posts?agent=lamp`;
      for (const [ttl, days] of [
        ['24h', 1],
        ['7d', 7],
        ['30d', 30],
        ['1y', 365],
      ] as const) {
        const { post } = await cluster.askFor(201, 'POST', path, { title: 'Rope', body: '', ttl });
        expectLike(ttl, post.expires_at - post.created_at, days * 86_400);
      }
      const forever = { post: { ttl: 'forever', expires_at: null } };
      await cluster.askFor(201, 'POST', path, { title: 'Rope', body: '', ttl: 'forever' }, forever);
      await cluster.askFor(400, 'POST', path, { title: 'Rope', body: '', ttl: '3d' }, refusal('bad_request'));
    },
  },
  {
    title: 'A post carries file {url, mime} and the props where and lang, no others',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const file = { url: 'https://files.example/rope.png', mime: 'image/png' };
      const props = { where: OSLO, lang: 'no' };
      const id = await cluster.post(board, 'lamp', { file, props });
      await cluster.askFor(200, 'GET', `/boards/${board}/posts/${id}`, undefined, { post: { id, file, props } });
      const more = { title: 'Rope', body: '', props: { limits: { post_max_chars: 5 } } };
      await cluster.askFor(400, 'POST', `/boards/${board}/posts?agent=lamp`, more);
    },
  },
  {
    title: 'On a private cluster posting and reading need the ck_ token, as header, Bearer or query',
    async check({ url }) {
      const cluster = await ClusterClient.create(url);
      await cluster.administer(200, 'PATCH', '', { boards_enabled: true });
      const board = await cluster.board('swap');
      const id = await cluster.post(board, 'lamp');
      const http = new HttpClient(url);
      const path = `${cluster.path}/boards/${board}/posts`;
      const headers = { 'x-cluster-token': cluster.token };
      await http.expect(200, 'GET', path, { headers }, { posts: [{ id }] });
      await http.expect(200, 'GET', `${path}?token=${cluster.token}`, {}, { posts: [{ id }] });
      await http.expect(404, 'GET', path, {}, refusal('not_found'));
    },
  },
  {
    title: 'A post is deleted by its author (matching agent); another handle is 403, the admin may always',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const [own, other] = [await cluster.post(board, 'lamp'), await cluster.post(board, 'horn')];
      const path = `/boards/${board}/posts`;
      await cluster.askFor(403, 'DELETE', `${path}/${other}?agent=lamp`, undefined, refusal('forbidden'));
      await cluster.askFor(200, 'DELETE', `${path}/${own}?agent=lamp`);
      await cluster.administer(200, 'DELETE', `${path}/${other}`);
      await cluster.askFor(200, 'GET', path, undefined, { posts: [], count: 0 });
      await cluster.askFor(404, 'GET', `${path}/${own}`, undefined, refusal('post_not_found'));
    },
  },
  {
    title: 'On a private cluster the author deletes with agent and query token (ck_)',
    async check({ url }) {
      const cluster = await ClusterClient.create(url);
      await cluster.administer(200, 'PATCH', '', { boards_enabled: true });
      const board = await cluster.board('swap');
      const id = await cluster.post(board, 'lamp');
      const path = `${cluster.path}/boards/${board}/posts/${id}?agent=lamp`;
      const { status } = await new HttpClient(url).send('DELETE', path);
      expectLike('refused without the token', status === 401 || status === 404, true);
      await new HttpClient(url).expect(200, 'DELETE', `${path}&token=${cluster.token}`);
    },
  },
  {
    title: 'near is computed against the effective location: board, cluster and post; unlocated posts are excluded',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap', { props: { where: OSLO } });
      const inherited = await cluster.post(board, 'lamp');
      const own = await cluster.post(board, 'lamp', { props: { where: BERGEN } });
      const none = await cluster.post(board, 'lamp', { props: { where: 'none' } });
      const near = (place: typeof OSLO, km = '') => `/boards/${board}/posts?near=${place.lat},${place.lon}${km}`;
      await cluster.askFor(200, 'GET', near(OSLO, '&km=20'), undefined, { posts: [{ id: inherited }] });
      await cluster.askFor(200, 'GET', near(BERGEN), undefined, { posts: [{ id: own }] });
      const { posts } = await cluster.askFor(200, 'GET', near(OSLO, '&km=1000'), undefined, { count: 2 });
      expectLike('the posts', posts, without({ id: none }));
    },
  },
  {
    title: 'lang compares the effective language: a post inherits the language of its board',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap', { props: { lang: 'no' } });
      const inherited = await cluster.post(board, 'lamp');
      const own = await cluster.post(board, 'lamp', { props: { lang: 'sv' } });
      const path = `/boards/${board}/posts?lang=`;
      await cluster.askFor(200, 'GET', `${path}no`, undefined, { posts: [{ id: inherited }] });
      await cluster.askFor(200, 'GET', `${path}sv-SE`, undefined, { posts: [{ id: own }] });
    },
  },
  {
    title: 'entry.age_min of 18: 403 age_gated on reads and on post creation unless adult=1',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('bar', { props: { entry: { age_min: 18, require: [] } } });
      const path = `/boards/${board}`;
      const content = { title: 'Rum', body: '' };
      for (const where of [path, `${path}/posts`])
        await cluster.askFor(403, 'GET', where, undefined, refusal('age_gated'));
      await cluster.askFor(403, 'POST', `${path}/posts?agent=lamp`, content, refusal('age_gated'));
      const { id } = await cluster.askFor(201, 'POST', `${path}/posts?agent=lamp&adult=1`, content);
      await cluster.askFor(403, 'GET', `${path}/posts/${id}`, undefined, refusal('age_gated'));
      await cluster.askFor(200, 'GET', `${path}/posts?adult=1`, undefined, { posts: [{ id }] });
    },
  },
  {
    title: 'The rules of an age-gated board stay readable: it is listed with its props',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const props = { entry: { age_min: 18, require: ['id'] } };
      await cluster.board('bar', { props });
      await cluster.askFor(200, 'GET', '/boards', undefined, { boards: [{ slug: 'bar', props }] });
    },
  },
  {
    title: 'A post that exceeds limits.post_max_chars is 422 post_too_long with limit and length',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('notes', { props: { limits: { post_max_chars: 10 } } });
      const path = `/boards/${board}/posts?agent=lamp`;
      await cluster.askFor(201, 'POST', path, { title: 'Rope', body: '🪢🪢🪢🪢🪢🪢' });
      const like = refusal('post_too_long', { limit: 10, length: 11 });
      await cluster.askFor(422, 'POST', path, { title: 'Rope', body: '1234567' }, like);
    },
  },
  {
    title: 'GET .../posts is {posts, count, next_cursor}, newest first, and pages',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const [first, second] = [await cluster.post(board, 'lamp'), await cluster.post(board, 'lamp')];
      const path = `/boards/${board}/posts`;
      const whole = { posts: [{ id: second }, { id: first }], count: 2, next_cursor: null };
      await cluster.askFor(200, 'GET', path, undefined, whole);
      const page = { posts: [{ id: second }], next_cursor: text };
      const { next_cursor } = await cluster.askFor(200, 'GET', `${path}?limit=1`, undefined, page);
      const rest = `${path}?limit=1&cursor=${encodeURIComponent(next_cursor)}`;
      await cluster.askFor(200, 'GET', rest, undefined, { posts: [{ id: first }], next_cursor: null });
    },
  },
  {
    title: 'GET .../history with the ck_ or ak_ token holds board events, never Wall messages',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const lamp = await cluster.enter('lamp');
      lamp.say({ payload: 'unrecorded words' });
      await lamp.next({ kind: 'ack' });
      await cluster.post(board, 'lamp');
      const history = await new HttpClient(url, cluster.token).expect(200, 'GET', `${cluster.path}/history`);
      const { events } = history;
      expectLike('the events', events, holding({ event: 'board_created' }, { event: 'post_created' }));
      expectLike('Wall messages', JSON.stringify(history).includes('unrecorded'), false);
      await lamp.close();
    },
  },
  {
    title: 'An unknown member of a board or post is a 400 that names it; a client of today sends none',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const like = { message: matching(/colour/) };
      await cluster.administer(400, 'POST', '/boards', { slug: 'b', name: 'B', colour: 'red' }, like);
      const content = { title: 'Rope', body: '', colour: 'red' };
      await cluster.askFor(400, 'POST', `/boards/${board}/posts?agent=lamp`, content, { ...like, post: absent });
    },
  },
];
