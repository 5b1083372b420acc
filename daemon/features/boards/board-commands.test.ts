import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../shared-log/shared-log.js';
import { boardsApp } from '../../testing/apps/boards-app.js';
import { aReplica, expectFirstWins, expectSameOnReplicas, type KindsOver } from '../../testing/replica.js';
import { noCluster } from '../clusters/cluster-access.js';
import { ClusterCommands } from '../clusters/cluster-commands.js';
import { ClustersStore } from '../clusters/clusters-store.js';
import { BoardCommands } from './board-commands.js';
import { BoardHistoryStore } from './board-history-store.js';
import { BoardsStore } from './boards-store.js';
import { PostsStore } from './posts-store.js';

const DAY = 86_400_000;

const kindsOver: KindsOver = (database) => {
  const clusters = new ClustersStore(database);
  const boards = new BoardsStore(database);
  const history = new BoardHistoryStore(database);
  const posts = new PostsStore(database);
  const requireCluster = (id: string) => {
    const cluster = clusters.find(id);
    if (!cluster) throw noCluster();
    return cluster;
  };
  const removing = (id: string) => {
    boards.removeAll(id);
    history.removeAll(id);
    posts.forgetKeys(`post ${id} `);
  };
  return {
    ...new ClusterCommands(clusters, removing).kinds,
    ...new BoardCommands({ boards, posts, history, requireCluster }).kinds,
  };
};

describe('commands of boards and posts', () => {
  it('leave the same rows on every replica, refusals, repeats and expiry included', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster({ props: { limits: { post_max_chars: 40 } } });
    const gone = await app.aCluster();
    const board = await app.aBoard(cluster, { props: { lang: 'en' } });
    const other = await app.aBoard(cluster, { slug: 'other' });
    await app.aPost(gone, await app.aBoard(gone), { title: 'Gone' });
    await app.onBoards(cluster, 'POST', '', { slug: 'other', name: 'Other' }, cluster.admin);
    await app.onBoards(cluster, 'PATCH', `/${board.id}`, { about: 'Rooms.', props: { lang: null } }, cluster.admin);
    const pin = (title: string, key: string, agent = 'ada') =>
      app.call(
        'POST',
        `/v1/clusters/${cluster.id}/boards/flats/posts?agent=${agent}`,
        { title, ttl: '24h', props: { lang: 'eng', where: { lat: 1, lon: 2, label: 'Quay' } } },
        { 'x-cluster-token': cluster.token, 'idempotency-key': key },
      );
    for (const title of ['A room', 'A room', 'Another']) await pin(title, 'one');
    await pin('A room at the quay that is far too long a title', 'two');
    const post = await app.aPost(cluster, board, { title: 'Mine', ttl: 'forever' }, 'bob');
    await app.onBoards(cluster, 'DELETE', `/flats/posts/${post.id}?agent=eve`, undefined, cluster.token);
    await app.onBoards(cluster, 'DELETE', `/flats/posts/${post.id}?agent=bob`, undefined, cluster.token);
    await app.onBoards(cluster, 'DELETE', `/${other.id}`, undefined, cluster.admin);
    await app.call('DELETE', `/v1/clusters/${gone.id}`, undefined, { 'x-cluster-token': gone.admin });
    await app.clock.advance(2 * DAY);
    await expect.poll(() => app.events.filter(({ type }) => type === 'board.changed').length).toBe(9);

    const outcomes = await expectSameOnReplicas(app, kindsOver);
    expect(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.code]))).toEqual([
      'slug_taken',
      'idempotency_mismatch',
      'post_too_long',
      'forbidden',
    ]);
    expect(new Set(app.commands.map(({ kind }) => kind)).size).toBe(9);
    expect(app.database.sql('SELECT count(*) FROM posts').pluck().get()).toBe(0);
    expect(JSON.stringify(app.commands)).not.toMatch(/[ac]k_[\w-]{20}/);
  });

  it('give a slug of a cluster to the first of two senders, whichever it is', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const before = [...app.commands];
    await Promise.all(
      ['Flats', 'Rooms'].map((name) => app.onBoards(cluster, 'POST', '', { slug: 'flats', name }, cluster.admin)),
    );
    const [one, other] = app.commands.slice(before.length) as [Command, Command];
    await expectFirstWins([one, other], kindsOver, 'slug_taken', before);
  });

  it('refuse a board or post whose cluster was removed between its sender and the log', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    await app.aPost(cluster, board);
    await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin });
    const kinds = (...names: string[]) => app.commands.filter(({ kind }) => names.includes(kind));
    const late = [...kinds('cluster.create', 'cluster.update', 'cluster.remove'), ...kinds('board.create', 'post.pin')];
    const outcomes = await aReplica(kindsOver).apply(late);
    expect(outcomes.slice(3)).toMatchObject([{ code: 'not_found' }, { code: 'not_found' }]);
  });
});

describe('Whose daemon may send a command', () => {
  const database = {} as never;
  const kinds = new BoardCommands({ boards: database, posts: database, history: database, requireCluster: database })
    .kinds;
  const owned = (kind: string, body: object) => {
    const { requires, takes, frees } = kinds[kind]?.ownership ?? {};
    const command = { entity: 'p_1' } as Command;
    return [requires?.(body, command), takes?.(body, command), frees?.(body, command)];
  };
  const quay = [{ area: 'cluster', id: 'quay' }];
  const post = [{ area: 'post', id: 'p_1' }];

  it.each([
    ['board.create', { cluster: 'quay' }, [quay, undefined, undefined]],
    ['board.edit', { cluster: 'quay' }, [quay, undefined, undefined]],
    ['board.remove', { cluster: 'quay' }, [quay, undefined, undefined]],
    ['post.pin', { cluster: 'quay' }, [undefined, post, undefined]],
    ['post.remove', { cluster: 'quay', is_admin: true }, [quay, undefined, undefined]],
    ['post.remove', { cluster: 'quay', is_admin: false }, [post, undefined, undefined]],
    ['post.expire', {}, [undefined, undefined, undefined]],
  ])('follows from the cluster or the post of %s', (kind, body, expected) => {
    expect(owned(kind, body)).toEqual(expected);
  });
});

describe('The command that deletes what has expired', () => {
  const AT = 100 * DAY;
  const now = AT / 1000;
  const expire: Command = {
    ...{ schema: 1, id: randomUUID(), kind: 'post.expire', entity: 'expired', at: AT, daemon: 'd', body: {} },
  };

  /** A replica with a cluster `c`, whose board has that many posts that have expired, and an event for each second. */
  function withExpired(posts: number, events: readonly number[] = []) {
    const replica = aReplica(kindsOver);
    const { database } = replica;
    new ClustersStore(database).insert(
      {
        ...{ id: 'c', slug: null, name: 'Quay', topic: '', description: '', visibility: 'private' },
        ...{ boards_enabled: true, props: null, createdMs: 0 },
      },
      { token: null, admin: null },
    );
    const board = { id: 'b', cluster: 'c', slug: 'flats', name: 'Flats', about: '', props: null, created_at: 0 };
    new BoardsStore(database).insert({ ...board, kind: 'generic' });
    database
      .sql(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @posts)
         INSERT INTO posts (id, board, created_at, expires_at, has_place, ttl, author, title, body)
         SELECT i, 1, 0, @now, 0, '24h', 'ada', 'x', '' FROM n WHERE i <= @posts`,
      )
      .run({ posts, now });
    const history = new BoardHistoryStore(database);
    for (const ts of events) history.insert('c', { event: 'board_updated', board: 'b', slug: 'flats', ts });
    const count = (table: string) => database.sql(`SELECT count(*) FROM ${table}`).pluck().get();
    const run = async () => {
      const [outcome] = await replica.apply([expire]);
      return (outcome as unknown as { result: { items: object[]; isMore: boolean } }).result;
    };
    return { database, count, run };
  }

  it('deletes 500 posts at once, and says whether there may be more', async () => {
    const { count, run } = withExpired(501);
    const first = await run();
    expect([first.items.length, first.isMore, count('posts')]).toEqual([500, true, 1]);
    const second = await run();
    expect([second.items, second.isMore, count('posts')]).toEqual([
      [{ event: 'post_expired', cluster: 'c', board: { id: 'b', slug: 'flats' }, post: '501', title: 'x', ts: now }],
      false,
      0,
    ]);
  });

  it('deletes 500 events older than thirty days at once, and says whether there may be more', async () => {
    const since = now - 30 * 86_400;
    const { count, run } = withExpired(0, [...Array<number>(501).fill(since - 1), since]);
    expect([await run(), count('board_events')]).toEqual([{ items: [], isMore: true }, 2]);
    expect([await run(), count('board_events')]).toEqual([{ items: [], isMore: false }, 1]);
  });

  it('forgets the keys of commands after a day', async () => {
    const { database, run } = withExpired(0);
    for (const [key, at] of [
      ['old', AT - DAY],
      ['kept', AT - DAY + 1],
    ] as const)
      database.sql(`INSERT INTO shared_answers VALUES ('post c b ada', ?, 'x', '{}', ?)`).run(key, at);
    await run();
    expect(database.sql('SELECT key FROM shared_answers').pluck().all()).toEqual(['kept']);
  });

  it('does not pin a post for an adults-only board unless the author spoke of an adult', async () => {
    const { database } = withExpired(0);
    database.sql(`UPDATE boards SET props = '{"entry":{"age_min":18}}'`).run();
    const posts = new PostsStore(database);
    const clusters = new ClustersStore(database);
    const commands = new BoardCommands({
      ...{ boards: new BoardsStore(database), posts, history: new BoardHistoryStore(database) },
      requireCluster: (id) => clusters.find(id) as never,
    });
    const pin = (is_adult: boolean) =>
      commands.kinds['post.pin']?.decide({
        ...{ ...expire, kind: 'post.pin', entity: 'p_1' },
        body: {
          ...{ cluster: 'c', board: 'b', author: 'ada', is_adult, title: 'x', body: '', ttl: '24h' },
          ...{ file: null, props: null, lang: null, key: null },
        },
      });
    expect(() => pin(false)).toThrow(expect.objectContaining({ code: 'age_gated' }));
    expect(pin(true)).toMatchObject({ created: { id: 'p_1' }, item: { event: 'post_created' } });
  });
});
