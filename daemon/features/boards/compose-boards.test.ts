import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { POSTS_ANSWER_CHARS, type PostBody } from '../../contract/boards.js';
import type { Props } from '../../contract/clusters.js';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import type { App } from '../../http/route-types.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { Database } from '../../storage/database/database.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ClusterAccess, noCluster } from '../clusters/cluster-access.js';
import { ClustersStore } from '../clusters/clusters-store.js';
import { composeBoards } from './compose-boards.js';

const DAY_MS = 86_400_000;
const ADMIN = { cluster: 'quay', credential: 'ak_quay', isAdult: false };
const VISITOR = { cluster: 'quay', credential: undefined, isAdult: false };

/** The boards of a public cluster, without a server. */
async function aQuay({ boards_enabled = true, props = null as Props | null } = {}) {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const shared = embeddedChanges(database, clock);
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => void events.push(event));
  const store = new ClustersStore(database);
  const find = (id: string) => store.find(id) ?? store.findBySlug(id);
  const requireCluster = (id: string) => {
    const row = store.find(id);
    if (!row) throw noCluster();
    return row;
  };
  const texts = { name: 'Quay', topic: '', description: '', createdMs: 0 };
  for (const id of ['quay', 'other'])
    store.insert(
      { ...texts, id, slug: `${id}-slug`, visibility: 'public', boards_enabled, props },
      { token: sha256(`ck_${id}`), admin: sha256(`ak_${id}`) },
    );
  const area = await composeBoards({
    ...{ database, shared, bus, clock },
    app: { register: async () => undefined } as unknown as App,
    clusters: { find, require: requireCluster },
    clusterAccess: new ClusterAccess(store, new WrongCredentials(clock)),
    hub: { push: () => undefined },
  });
  onTestFinished(() => area.stop());
  const { boards, posts } = area;
  const aBoard = (slug = 'flats', visit = ADMIN) => boards.create(visit, { slug, name: 'Flats' });
  const pin = (body: Partial<PostBody> = {}, board = 'flats', author = 'ada', key?: string) =>
    posts.pin(VISITOR, board, author, { title: 'A room', ...body }, key ? { key, body_sha256: 'x' } : undefined);
  const countPosts = () => database.sql('SELECT count(*) FROM posts').pluck().get();
  const turn = (isOn: boolean) => store.setRules('quay', isOn, props);
  const kinds = () => shared.commands.map(({ kind }) => kind);
  return { area, boards, posts, shared, clock, events, database, aBoard, pin, countPosts, turn, kinds };
}

/** Waits for what was scheduled by a clock or a listener and is not awaited by it. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}

describe('The deletion of expired posts', () => {
  it('is not made for a post without an end', async () => {
    const { area, clock, aBoard, pin, kinds } = await aQuay();
    await area.start();
    await aBoard();
    await pin({ ttl: 'forever' });
    clock.advance(0);
    await pin({ ttl: 'forever' });
    expect(kinds()).toEqual(['post.expire', 'board.create', 'post.pin', 'post.pin']);
  });

  it('begins again when all rows were replaced', async () => {
    const { area, shared, clock, aBoard, pin, countPosts } = await aQuay();
    await area.start();
    await aBoard();
    await pin({ ttl: '24h' });
    clock.step(DAY_MS);
    expect(countPosts()).toBe(1);
    await shared.kinds.replaced();
    await until(() => countPosts() === 0);
  });

  it('is told once for each board, and in the history of a cluster whose boards are turned off meanwhile', async () => {
    const { area, boards, clock, events, aBoard, pin, turn } = await aQuay();
    const [flats, cars] = [await aBoard('flats'), await aBoard('cars')];
    const { id } = await pin({ ttl: '24h', title: 'One' }, 'flats');
    await pin({ ttl: '24h' }, 'cars');
    await pin({ ttl: '24h' }, 'flats');
    clock.step(DAY_MS);
    turn(false);
    const before = events.length;
    await area.start();
    const told = events.slice(before) as unknown as { type: string; board: string }[];
    expect(told.map(({ type, board }) => [type, board])).toEqual([
      ['board.changed', flats.id],
      ['board.changed', cars.id],
    ]);
    const [third] = boards.listHistory(ADMIN, {}).events.slice(2);
    const expired = { event: 'post_expired', board: flats.id, slug: 'flats', post: id, title: 'One' };
    expect(third).toMatchObject({ ...expired, ts: clock.now() / 1000 });
  });

  it('ends when the daemon stops', async () => {
    const { area, clock } = await aQuay();
    await area.start();
    expect(clock.pending).toBe(1);
    area.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('Boards', () => {
  it('are counted per cluster, also while they are turned off, and found only while they are on', async () => {
    const { boards, aBoard, turn } = await aQuay();
    const { id } = await aBoard('flats');
    await aBoard('cars');
    await aBoard('flats', { ...ADMIN, cluster: 'other', credential: 'ak_other' });
    expect(boards.findBoard('quay', 'flats')).toEqual({ id, slug: 'flats' });
    turn(false);
    expect([boards.count('quay'), boards.count('other'), boards.count('unknown')]).toEqual([2, 1, 0]);
    expect([boards.findBoard('quay', 'flats'), boards.findBoard('unknown', 'flats')]).toEqual([undefined, undefined]);
  });

  it('keep the number of their posts when they are edited', async () => {
    const { boards, aBoard, pin } = await aQuay();
    await aBoard();
    await pin();
    expect(await boards.edit(ADMIN, 'flats', { name: 'Rooms' })).toMatchObject({ name: 'Rooms', posts: 1 });
  });

  it('have a history whose last page ends with the first event, also when it is full', async () => {
    const { boards, aBoard } = await aQuay();
    for (const slug of ['a', 'b', 'c', 'd']) await aBoard(slug);
    const slugs = (limit: number, cursor?: string | null) => {
      const page = boards.listHistory(ADMIN, { limit, ...(cursor && { cursor }) });
      return [page.events.map(({ slug }) => slug), page.count, page.next_cursor];
    };
    expect(slugs(4)).toEqual([['d', 'c', 'b', 'a'], 4, null]);
    const [first, , cursor] = slugs(3);
    expect([first, slugs(3, cursor as string)]).toEqual([
      ['d', 'c', 'b'],
      [['a'], 1, null],
    ]);
  });
});

describe('Posts', () => {
  it('are pinned once per key, author and board', async () => {
    const { aBoard, pin, countPosts } = await aQuay();
    await aBoard('flats');
    await aBoard('cars');
    const first = await pin({}, 'flats', 'ada', 'one');
    expect(await pin({}, 'flats', 'ada', 'one')).toEqual(first);
    const others = [
      await pin({}, 'cars', 'ada', 'one'),
      await pin({}, 'flats', 'ben', 'one'),
      await pin({}, 'flats', 'ada', 'two'),
    ];
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4);
    expect(countPosts()).toBe(4);
  });

  it('fill a page up to 4 Mi characters and no further', async () => {
    const { posts, aBoard, pin } = await aQuay();
    await aBoard();
    const size = POSTS_ANSWER_CHARS / 64;
    await Promise.all(Array.from({ length: 65 }, () => pin({ title: 'x', body: 'y'.repeat(size - 1) })));
    const first = posts.list(VISITOR, 'flats', { limit: 200 });
    const rest = posts.list(VISITOR, 'flats', { limit: 200, cursor: first.next_cursor as string });
    expect([first.posts.length, rest.posts.length, rest.next_cursor]).toEqual([64, 1, null]);
    expect(posts.list(VISITOR, 'flats', { limit: 64 }).next_cursor).toBe(first.next_cursor);
    await aBoard('cars');
    const titles = ['xx', ...Array<string>(63).fill('x')];
    await Promise.all(titles.map((title) => pin({ title, body: 'y'.repeat(size - 1) }, 'cars')));
    const cars = posts.list(VISITOR, 'cars', { limit: 200 });
    expect([cars.posts.length, cars.count, cars.next_cursor]).toEqual([63, 64, expect.any(String)]);
  });

  it('have no next page when none is left', async () => {
    const { posts, aBoard, pin } = await aQuay();
    await aBoard();
    expect(posts.list(VISITOR, 'flats', {})).toEqual({ posts: [], count: 0, next_cursor: null });
    const oldest = await pin();
    expect(posts.list(VISITOR, 'flats', { limit: 1 })).toMatchObject({ count: 1, next_cursor: null });
    const newest = await pin();
    expect(posts.list(VISITOR, 'flats', { limit: 1 })).toMatchObject({
      posts: [{ id: newest.id }],
      next_cursor: expect.stringMatching(/^\d+$/),
    });
    expect(posts.list(VISITOR, 'flats', { limit: 2 })).toMatchObject({
      posts: [{ id: newest.id }, { id: oldest.id }],
      next_cursor: null,
    });
  });

  it('say the distance in metres to three decimals of a kilometre', async () => {
    const { posts, aBoard, pin } = await aQuay({ props: { where: { lat: 0.0001, lon: 0, label: 'Here' } } });
    await aBoard();
    await pin();
    await pin({ props: { where: { lat: 0, lon: 0, label: 'There' } } });
    const found = posts.list(VISITOR, 'flats', { near: '0,0', km: 1 }).posts;
    expect(found.map(({ distance_km }) => distance_km)).toEqual([0, 0.011]);
  });
});

describe('A refusal', () => {
  const sent = async (act: () => unknown) => {
    try {
      await act();
    } catch (error) {
      return error;
    }
    return 'accepted';
  };

  it('says that boards are turned off, and how to turn them on', async () => {
    const { boards } = await aQuay({ boards_enabled: false });
    expect(await sent(() => boards.read(VISITOR, 'flats'))).toMatchObject({
      code: 'boards_disabled',
      message: 'This cluster has its boards turned off: its admin turns them on with PATCH {"boards_enabled": true}.',
    });
  });

  it('says that there is no such board, or no such post', async () => {
    const { boards, posts, aBoard } = await aQuay();
    expect(await sent(() => boards.read(VISITOR, 'flats'))).toMatchObject({
      code: 'board_not_found',
      message: 'There is no such board: name it by its id or slug, as the cluster’s list has them.',
    });
    await aBoard();
    expect(await sent(() => posts.read(VISITOR, 'flats', 'p_1'))).toMatchObject({
      code: 'post_not_found',
      message: 'There is no such post on this board: it has expired, was deleted, or never was.',
    });
  });

  it('names the age from which a board may be read', async () => {
    const { boards, aBoard } = await aQuay({ props: { entry: { age_min: 21 } } });
    await aBoard();
    expect(await sent(() => boards.read(VISITOR, 'flats'))).toMatchObject({
      code: 'age_gated',
      message:
        'This board is for people of 21 and older: send adult=1 only if the person for whom you act is an adult.',
      details: { age_min: 21 },
    });
    expect(boards.read({ ...VISITOR, isAdult: true }, 'flats')).toMatchObject({ posts: [] });
  });

  it('names the slug that is taken', async () => {
    const { aBoard } = await aQuay();
    await aBoard();
    expect(await sent(() => aBoard())).toMatchObject({
      code: 'slug_taken',
      message: 'This cluster has a board "flats" already: choose another slug.',
      details: { path: 'slug' },
    });
  });

  it('names the limit of boards', async () => {
    const { aBoard } = await aQuay();
    for (let n = 0; n < 50; n += 1) await aBoard(`board-${n}`);
    expect(await sent(() => aBoard())).toMatchObject({
      code: 'board_limit',
      message: 'A cluster has at most 50 boards: remove one first.',
      details: { limit: 50 },
    });
  });

  it('names the limit of a post and its length', async () => {
    const { aBoard, pin } = await aQuay({ props: { limits: { post_max_chars: 9 } } });
    await aBoard();
    expect(await sent(() => pin({ title: 'Four', body: 'sixsix' }))).toMatchObject({
      code: 'post_too_long',
      message: 'Title and body have 10 characters together: this board takes at most 9.',
      details: { limit: 9, length: 10 },
    });
    expect(await pin({ title: 'Four', body: 'fives' })).toMatchObject({ post: { body: 'fives' } });
  });

  it('names the limit of live posts', async () => {
    const { database, aBoard, pin } = await aQuay();
    await aBoard();
    const fill = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      INSERT INTO posts (id, board, created_at, has_place, ttl, author, title, body)
      SELECT i, 1, 0, 0, 'forever', 'ada', 'x', '' FROM n`;
    database.sql(fill).run();
    await pin();
    expect(await sent(() => pin())).toMatchObject({
      code: 'board_full',
      message: 'The board holds 1000 live posts: one must expire or be deleted first.',
      details: { limit: 1000 },
    });
  });

  it('says who may delete a post', async () => {
    const { posts, aBoard, pin } = await aQuay();
    await aBoard();
    const { id } = await pin();
    expect(await sent(() => posts.remove(VISITOR, 'flats', id, 'eve'))).toMatchObject({
      code: 'forbidden',
      message: 'Only its author (agent=<their handle>) and the cluster’s admin token delete a post.',
    });
  });
});
