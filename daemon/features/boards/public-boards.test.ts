import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Props, Where } from '../../contract/clusters.js';
import { Database } from '../../storage/database/database.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type ClusterRow, ClustersStore } from '../clusters/clusters-store.js';
import { type BoardRow, BoardsStore } from './boards-store.js';
import { PostsStore } from './posts-store.js';
import { PublicBoards } from './public-boards.js';

const PIER = { lat: 1, lon: 2, label: 'Pier' };
const QUAY = { label: 'Quay' };
const ADULTS: Props = { entry: { age_min: 18 } };

function aStore() {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const [clusters, boards, posts] = [new ClustersStore(database), new BoardsStore(database), new PostsStore(database)];
  const shown = new PublicBoards(database, boards, posts, clock);
  const now = clock.now() / 1000;
  const aCluster = (id: string, given: Partial<ClusterRow> = {}): ClusterRow => {
    const row = { name: `The ${id}`, topic: '', description: '', visibility: 'public', boards_enabled: true } as const;
    const all = { ...row, id, slug: `${id}-slug`, props: null, createdMs: 0, ...given };
    clusters.insert(all, { token: null, admin: null });
    return clusters.find(id) as ClusterRow;
  };
  const aBoard = (cluster: string, slug: string, given: Partial<BoardRow> = {}): number => {
    const row = { kind: 'generic', about: `About ${slug}.`, props: null, created_at: 5 } as const;
    boards.insert({ ...row, id: `b_${cluster}_${slug}`, cluster, slug, name: slug.toUpperCase(), ...given });
    return (boards.find(cluster, slug) as BoardRow).seq;
  };
  const aPost = (board: number, id: string, given: { where?: Where; expires_at?: number | null } = {}) => {
    const { where, expires_at = null } = given;
    const props = where === undefined ? null : { where };
    const row = { ttl: 'forever', author: 'ada', file: null, body: 'Words.', created_at: now } as const;
    const place = { point: undefined, hasPlace: where !== undefined, lang: undefined };
    posts.insert({ ...row, id, board, title: `Title ${id}`, expires_at, props }, place);
  };
  const located = (limit = 10) => shown.listLocated(limit);
  const ids = (limit = 10) => located(limit).posts.map(({ id }) => id);
  return { database, shown, now, aCluster, aBoard, aPost, located, ids };
}

describe('The public boards of a cluster', () => {
  it('are listed oldest first with their effective rules and the heads of their newest live posts', () => {
    const { shown, now, aCluster, aBoard, aPost } = aStore();
    const cluster = aCluster('c', { props: { lang: 'en' } });
    aCluster('d');
    const flats = aBoard('c', 'flats', { kind: 'events', props: { where: QUAY } });
    aBoard('c', 'cars');
    aPost(aBoard('d', 'flats'), 'elsewhere');
    aPost(flats, 'first');
    aPost(flats, 'gone', { expires_at: now });
    aPost(flats, 'brief', { expires_at: now + 1 });
    aPost(flats, 'last');
    const head = { author: 'ada', created_at: now };
    expect(shown.list(cluster, 2)).toEqual([
      {
        ...{ id: 'b_c_flats', slug: 'flats', name: 'FLATS', kind: 'events', about: 'About flats.' },
        ...{ props: { lang: 'en', where: QUAY }, isAgeGated: false, posts: 3 },
        newest: [
          { ...head, id: 'last', title: 'Title last', expires_at: null },
          { ...head, id: 'brief', title: 'Title brief', expires_at: now + 1 },
        ],
      },
      {
        ...{ id: 'b_c_cars', slug: 'cars', name: 'CARS', kind: 'generic', about: 'About cars.' },
        ...{ props: { lang: 'en' }, isAgeGated: false, posts: 0, newest: [] },
      },
    ]);
  });

  it('withhold the number and titles of posts for adults, by the rule of the board or of the cluster', () => {
    const { shown, aCluster, aBoard, aPost } = aStore();
    const cluster = aCluster('c', { props: ADULTS });
    aPost(aBoard('c', 'adults'), 'strong');
    aPost(aBoard('c', 'all', { props: { entry: { age_min: 17 } } }), 'mild');
    expect(shown.list(cluster, 5)).toMatchObject([
      { slug: 'adults', isAgeGated: true, posts: 0, newest: [] },
      { slug: 'all', isAgeGated: false, posts: 1, newest: [{ id: 'mild' }] },
    ]);
  });

  it('are none while boards are turned off', () => {
    const { shown, aCluster, aBoard } = aStore();
    const cluster = aCluster('c', { boards_enabled: false });
    aBoard('c', 'flats');
    expect(shown.list(cluster, 5)).toEqual([]);
  });
});

describe('Posts with a place', () => {
  it('have their own, otherwise that of their board, otherwise that of their cluster, newest first', () => {
    const { aCluster, aBoard, aPost, located } = aStore();
    aCluster('c', { props: { where: PIER } });
    const [plain, placed] = [aBoard('c', 'plain'), aBoard('c', 'placed', { props: { where: QUAY } })];
    aPost(plain, 'of-cluster');
    aPost(placed, 'of-board');
    aPost(placed, 'own', { where: { label: 'Mole' } });
    aPost(placed, 'nowhere', { where: 'none' });
    const cluster = { id: 'c', slug: 'c-slug', name: 'The c' };
    expect(located()).toEqual({
      posts: [
        { id: 'own', title: 'Title own', board: 'placed', cluster, where: { label: 'Mole' } },
        { id: 'of-board', title: 'Title of-board', board: 'placed', cluster, where: QUAY },
        { id: 'of-cluster', title: 'Title of-cluster', board: 'plain', cluster, where: PIER },
      ],
      isTruncated: false,
      expiresAt: undefined,
    });
  });

  it('are none of a private cluster, of boards that are turned off or for adults, or that have expired', () => {
    const { now, aCluster, aBoard, aPost, ids } = aStore();
    aCluster('open');
    aCluster('hidden', { visibility: 'private' });
    aCluster('off', { boards_enabled: false });
    const open = aBoard('open', 'flats');
    aPost(open, 'shown', { where: QUAY });
    aPost(open, 'without');
    aPost(open, 'gone', { where: QUAY, expires_at: now });
    aPost(aBoard('open', 'adults', { props: ADULTS }), 'adults', { where: QUAY });
    for (const cluster of ['hidden', 'off']) aPost(aBoard(cluster, 'flats'), cluster, { where: QUAY });
    expect(ids()).toEqual(['shown']);
  });

  it('stop inheriting at a board whose place is none', () => {
    const { aCluster, aBoard, aPost, ids } = aStore();
    aCluster('c', { props: { where: PIER } });
    aPost(aBoard('c', 'flats', { props: { where: 'none' } }), 'inheriting');
    expect(ids()).toEqual([]);
  });

  it('are truncated only when there are more than were asked for', () => {
    const { aCluster, aBoard, aPost, located } = aStore();
    aCluster('c', { props: { where: PIER } });
    const flats = aBoard('c', 'flats');
    for (const id of ['one', 'two', 'three']) aPost(flats, id);
    expect(located(3)).toMatchObject({ posts: [{ id: 'three' }, { id: 'two' }, { id: 'one' }], isTruncated: false });
    expect(located(2)).toMatchObject({ posts: [{ id: 'three' }, { id: 'two' }], isTruncated: true });
    expect(located(2).posts).toHaveLength(2);
  });

  it('come with the earliest of their expiries', () => {
    const { now, aCluster, aBoard, aPost, located } = aStore();
    aCluster('c', { props: { where: PIER } });
    const flats = aBoard('c', 'flats');
    aPost(flats, 'oldest', { expires_at: now + 50 });
    aPost(flats, 'forever');
    aPost(flats, 'brief', { expires_at: now + 10 });
    aPost(flats, 'long', { expires_at: now + 90 });
    expect([located().expiresAt, located(1)]).toMatchObject([now + 10, { isTruncated: true, expiresAt: now + 90 }]);
  });

  it('are looked for among the newest 20,000 posts', () => {
    const { database, aCluster, aBoard, aPost, located } = aStore();
    aCluster('c');
    const flats = aBoard('c', 'flats');
    aPost(flats, 'oldest', { where: QUAY });
    database
      .sql(
        `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO posts (id, board, created_at, has_place, ttl, author, title, body)
         SELECT i, ?, 0, 0, 'forever', 'ada', 'x', '' FROM n`,
      )
      .run(flats);
    expect(located()).toMatchObject({ posts: [{ id: 'oldest' }], isTruncated: false });
    aPost(flats, 'newest', { where: PIER });
    expect(located()).toMatchObject({ posts: [{ id: 'newest' }], isTruncated: true });
  });
});
