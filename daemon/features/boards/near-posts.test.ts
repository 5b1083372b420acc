import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { distanceKm, type Point } from '../../lib/agents/geo.js';
import { Database } from '../../storage/database/database.js';
import { Dice } from '../../testing/dice.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { BoardsStore } from './boards-store.js';
import type { Circle } from './near.js';
import { NearPosts } from './near-posts.js';

const NOW = 1_000;
const BOARD = { cluster: 'c', kind: 'generic', about: '', props: null, created_at: 0 } as const;

interface APost {
  seq: number;
  board: number;
  /** Absent: it has no place of its own. */
  point?: Point;
  isUnlocated?: boolean;
  isExpired?: boolean;
}

/** A store with these posts on two boards. */
function storeOf(posts: readonly APost[]): NearPosts {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const boards = new BoardsStore(database);
  for (const slug of ['flats', 'rooms']) boards.insert({ ...BOARD, id: slug, slug, name: slug });
  database
    .sql(
      `INSERT INTO posts (seq, id, board, created_at, expires_at, has_place, lat, lon, ttl, author, title, body)
       SELECT value ->> '$.seq', value ->> '$.seq', value ->> '$.board', 0, iif(value ->> '$.isExpired', ${NOW}, NULL),
         value -> '$.point' IS NOT NULL OR value -> '$.isUnlocated' IS NOT NULL, value ->> '$.point.lat',
         value ->> '$.point.lon', 'forever', 'ada', 'x', '' FROM json_each(?)`,
    )
    .run(JSON.stringify(posts));
  return new NearPosts(database);
}

/** What `list` must find: the distance to every post is measured. */
function measured(posts: readonly APost[], { centre, km }: Circle, inherited: Point | undefined, before: number) {
  return posts
    .filter(({ seq, board, point = inherited, isUnlocated, isExpired }) => {
      if (board !== 1 || isUnlocated || isExpired || seq >= before) return false;
      return point !== undefined && distanceKm(centre, point) <= km;
    })
    .map(({ seq }) => seq)
    .reverse();
}

/** Posts on and around the edge of a circle of 300 km: three of four are in its box and outside of it. */
function postsAround({ lat, lon }: Point, count: number): APost[] {
  const { random } = new Dice(7);
  const wrap = (degrees: number) => ((degrees + 540) % 360) - 180;
  return Array.from({ length: count }, (_, index): APost => {
    const seq = index + 1;
    if (index % 17 === 0) return { seq, board: 1 };
    if (index % 17 === 1) return { seq, board: 1, isUnlocated: true };
    const [side, off] = [random() < 0.5 ? -1 : 1, index % 4 === 0 ? random() : 2.2 + random() / 3];
    const point = { lat: lat + off * (random() < 0.5 ? -1 : 1), lon: wrap(lon + off * side) };
    return { seq, board: index % 19 === 0 ? 2 : 1, point, ...(index % 23 === 0 && { isExpired: true }) };
  });
}

const LAND = { lat: 10, lon: 20 };
const SEA = { lat: -3, lon: 179.6 };
const FAR = { lat: 60, lon: -60 };

describe.each([
  ['few posts', 300],
  ['more posts in its box than are checked one by one', 1_400],
])('A search among %s', (_many, count) => {
  it.each([
    ['on land', LAND],
    ['across the antimeridian', SEA],
    ['across it from the east', { lat: -3, lon: -179.7 }],
  ])('%s finds the newest within the circle, those of the inherited place included', (_where, centre) => {
    const posts = postsAround(centre, count);
    const store = storeOf(posts);
    const circle = { centre, km: 300 };
    for (const inherited of [undefined, centre, FAR])
      for (const [before, limit] of [
        [Number.MAX_SAFE_INTEGER, 5],
        [count / 2, 7],
        [Number.MAX_SAFE_INTEGER, count],
      ] as const) {
        const found = store.list({ board: 1, now: NOW, before }, circle, inherited, limit);
        const expected = measured(posts, circle, inherited, before);
        expect(expected.length).toBeGreaterThan(20);
        expect([inherited, before, found]).toEqual([inherited, before, expected.slice(0, limit)]);
      }
  });
});

it('A search finds a post at exactly the distance that was asked for, and an inherited place there too', () => {
  const point = { lat: 10.5, lon: 20.5 };
  const km = distanceKm(LAND, point);
  const store = storeOf([
    { seq: 1, board: 1, point },
    { seq: 2, board: 1 },
  ]);
  const search = (radius: number) =>
    store.list({ board: 1, now: NOW, before: 9 }, { centre: LAND, km: radius }, point, 9);
  expect([search(km), search(km - 1e-6)]).toEqual([[2, 1], []]);
});
