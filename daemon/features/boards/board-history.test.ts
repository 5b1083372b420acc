import { describe, expect, it } from 'vitest';
import type { BoardHistory } from '../../contract/boards.js';
import { type ACluster, type BoardsApp, boardsApp } from '../../testing/apps/boards-app.js';

const DAY_MS = 86_400_000;

const history = async (app: BoardsApp, { id, token }: ACluster, query = '') =>
  (await app.call('GET', `/v1/clusters/${id}/history${query}`, undefined, { 'x-cluster-token': token }))
    .body as BoardHistory;

describe('Board history', () => {
  it('returns the events on boards, newest first, in pages, to holders of either token', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    const [kept, gone] = [
      await app.aPost(cluster, board, { title: 'Kept' }),
      await app.aPost(cluster, board, { title: 'Gone' }),
    ];
    await app.onBoards(cluster, 'DELETE', `/flats/posts/${gone.id}?agent=ada`);
    await app.onBoards(cluster, 'PATCH', '/flats', { name: 'Homes' }, cluster.admin);
    await app.onBoards(cluster, 'DELETE', '/flats', undefined, cluster.admin);
    const { events, count } = await history(app, cluster);
    expect(events.map(({ event, post, title }) => [event, post, title])).toEqual([
      ['board_deleted', undefined, undefined],
      ['board_updated', undefined, undefined],
      ['post_deleted', gone.id, 'Gone'],
      ['post_created', gone.id, 'Gone'],
      ['post_created', kept.id, 'Kept'],
      ['board_created', undefined, undefined],
    ]);
    expect(count).toBe(6);
    expect(events[0]).toEqual({
      seq: events[0]?.seq,
      event: 'board_deleted',
      board: board.id,
      slug: 'flats',
      ts: board.created_at,
    });
    const first = await history(app, cluster, '?limit=4');
    const second = await history(app, { ...cluster, token: cluster.admin }, `?limit=4&cursor=${first.next_cursor}`);
    expect([...first.events, ...second.events]).toEqual(events);
    expect(second.next_cursor).toBeNull();
  });

  it('responds 401 without a token for a public cluster, 404 for a private one, and 400 to an invalid cursor', async () => {
    const app = await boardsApp();
    const [open, closed] = [await app.aCluster(), await app.aCluster({ visibility: 'private' })];
    const read = (cluster: ACluster, query = '', headers = {}) =>
      app.call('GET', `/v1/clusters/${cluster.id}/history${query}`, undefined, headers);
    expect((await read(open)).status).toBe(401);
    expect((await read(open, '', { 'x-cluster-token': closed.admin })).status).toBe(401);
    expect((await read(closed)).status).toBe(404);
    expect((await read(closed, '', { 'x-cluster-token': open.admin })).status).toBe(404);
    expect((await read(open, `?token=${open.token}`)).status).toBe(200);
    expect((await read(open, `?token=${open.token}&cursor=x`)).status).toBe(400);
  });

  it('covers thirty days and deletes older events', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    await app.aBoard(cluster);
    app.clock.step(30 * DAY_MS);
    expect((await history(app, cluster)).count).toBe(1);
    app.clock.step(1000);
    expect((await history(app, cluster)).count).toBe(0);
    await app.surface.start();
    expect(app.database.sql('SELECT count(*) AS n FROM board_events').get()).toEqual({ n: 0 });
  });
});

describe('Hashtags', () => {
  it('resolve a slug to a board and an id to a live post of their own cluster only', async () => {
    const app = await boardsApp();
    const [cluster, other] = [await app.aCluster(), await app.aCluster()];
    const board = await app.aBoard(cluster);
    const post = await app.aPost(cluster, board, { ttl: '24h' });
    const { boards } = app.surface;
    expect(boards.findBoard(cluster.id, 'flats')).toEqual({ id: board.id, slug: 'flats' });
    expect(boards.findBoard(cluster.id, board.id)).toBeUndefined();
    expect(boards.findBoard(other.id, 'flats')).toBeUndefined();
    expect([boards.hasPost(cluster.id, post.id), boards.hasPost(other.id, post.id)]).toEqual([true, false]);
    app.clock.step(DAY_MS);
    expect(boards.hasPost(cluster.id, post.id)).toBe(false);
  });
});
