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
