/**
 * Compares `near` over 100,000 posts with a scan in memory that computes the distance to each of them, newest first.
 * The measured code is the daemon's own store on disk, which returns a page of fifty posts with their texts from one
 * board. The limit of 1,000 live posts a board is enforced by the feature above the store, so the store can be tested
 * with more. Half of the posts are around fifty towns, half anywhere, some at the poles and on both sides of the
 * antimeridian; one in twenty has no place of its own and is located at its board. Every result of the thousand queries
 * is compared with that of the scan.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Circle } from '../../../daemon/features/boards/near.js';
import { NearPosts } from '../../../daemon/features/boards/near-posts.js';
import { PostsStore } from '../../../daemon/features/boards/posts-store.js';
import { distanceKm, type Point } from '../../../daemon/lib/agents/geo.js';
import { Dice } from '../../../daemon/testing/dice.js';
import { median, quantile, report, rounded } from '../measure.js';

const POSTS = 100_000;
const QUERIES = 1_000;
const PAGE = 50;
const ROUNDS = 5;
const GOAL_RATIO = 5;
const GOAL_P99_MS = 5;
const HOME: Point = { lat: 52.52, lon: 13.405 };
const RADII_KM = [1, 5, 20, 50, 50, 50, 100, 500, 2_000, 9_000, 20_000];

const { random } = new Dice(20_261_121);
const wrapped = (lon: number) => (lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon);
const randomPoint = (): Point => ({ lat: (Math.asin(2 * random() - 1) * 180) / Math.PI, lon: 360 * random() - 180 });
const towns = Array.from({ length: 50 }, randomPoint);
const inTown = (): Point => {
  const { lat, lon } = towns[Math.floor(random() * towns.length)] as Point;
  const off = () => (random() + random() + random() - 1.5) * 0.4;
  return { lat: Math.max(-90, Math.min(90, lat + off())), lon: wrapped(lon + off()) };
};
const createEdgePoint = (): Point =>
  random() < 0.5
    ? { lat: (random() < 0.5 ? 1 : -1) * (90 - random() * random()), lon: 360 * random() - 180 }
    : { lat: 120 * random() - 60, lon: (random() < 0.5 ? 1 : -1) * (180 - random() * random()) };
const somewhere = (edges: number): Point => {
  const dice = random();
  return dice < edges ? createEdgePoint() : dice < 0.5 + edges / 2 ? inTown() : randomPoint();
};

// Migrations are SQL files, which Node.js cannot import by itself.
register(
  `data:text/javascript,${encodeURIComponent(`
    import { readFileSync } from 'node:fs';
    export async function load(url, context, next) {
      if (!url.endsWith('.sql')) return next(url, context);
      return { format: 'module', shortCircuit: true, source: 'export default ' + JSON.stringify(readFileSync(new URL(url), 'utf8')) };
    }`)}`,
);
const { Database } = await import('../../../daemon/storage/database/database.js');

const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-near-'));
const database = new Database(join(folder, 'mesh.db'));
try {
  const store = new PostsStore(database);
  const posts = new NearPosts(database);
  /** Points by row; undefined where the post is located at its board. */
  const points: (Point | undefined)[] = [];
  await database.write(() => {
    database
      .sql(
        "INSERT INTO boards (seq, id, cluster, slug, name, kind, about, created_at) VALUES (1, 'b_1', 'c_1', " +
          "'all', 'All', 'generic', '', 0)",
      )
      .run();
    for (let i = 0; i < POSTS; i += 1) {
      const point = random() < 0.05 ? undefined : somewhere(0.02);
      points.push(point);
      const post = { id: `p_${i}`, board: 1, created_at: i, expires_at: null, ttl: 'forever' as const, author: 'ada' };
      const props = point ? { where: { ...point, label: 'There' } } : null;
      store.insert(
        { ...post, props, file: null, title: `Post ${i}`, body: 'What it is about, in a sentence or two. '.repeat(4) },
        {
          point,
          hasPlace: point !== undefined,
          lang: undefined,
        },
      );
    }
  });
  const placed = points.map((point) => point ?? HOME);
  const filter = { board: 1, now: POSTS, before: Number.MAX_SAFE_INTEGER };

  const near = (circle: Circle) => [...store.rows(posts.list(filter, circle, HOME, PAGE))].map(({ id }) => id);
  const scan = ({ centre, km }: Circle) => {
    const found: string[] = [];
    for (let i = placed.length - 1; i >= 0 && found.length < PAGE; i -= 1) {
      if (distanceKm(centre, placed[i] as Point) <= km) found.push(`p_${i}`);
    }
    return found;
  };
  const timed = (run: () => unknown) => {
    const started = performance.now();
    run();
    return performance.now() - started;
  };

  const queries = Array.from(
    { length: QUERIES },
    (_, i): Circle => ({ centre: somewhere(0.2), km: RADII_KM[i % RADII_KM.length] as number }),
  );
  const usual = queries.filter(({ km }) => km === 50);
  const wrong = queries.filter((circle) => near(circle).join() !== scan(circle).join());

  const rounds = Array.from({ length: ROUNDS }, () => {
    const times = queries.map((circle) => timed(() => near(circle)));
    const ours = median(usual.map((circle) => timed(() => near(circle))));
    return { times, ours, scan: median(usual.map((circle) => timed(() => scan(circle)))) };
  });
  const ours = rounds.map((round) => round.ours);
  const theirs = rounds.map((round) => round.scan);
  const ratio = median(rounds.map((round) => round.scan / round.ours));
  // Each query counts with its median over the rounds, so that other load of the machine is not included.
  const all = queries.map((_, i) => median(rounds.map(({ times }) => times[i] as number)));
  const p99 = quantile(all, 0.99);
  const told = (values: readonly number[]) => ({
    unit: 'ms',
    ours: rounded(median(values), 3),
    min: rounded(Math.min(...values), 3),
    max: rounded(Math.max(...values), 3),
    rounds: ROUNDS,
  });
  report({
    bench: 'near',
    measure: `within 50 km among ${POSTS} posts, a page of ${PAGE} with texts`,
    ...told(ours),
    peer: { name: 'haversine scan in memory', value: rounded(median(theirs), 3) },
    ratio: rounded(ratio),
    goal: `>= ${GOAL_RATIO}x the scan`,
    pass: ratio >= GOAL_RATIO,
  });
  report({
    bench: 'near',
    measure: 'median of all radii, 1 to 20,000 km',
    ...told(rounds.map(({ times }) => median(times))),
  });
  report({
    bench: 'near',
    measure: 'p99 of all radii, 1 to 20,000 km',
    unit: 'ms',
    ours: rounded(p99, 3),
    rounds: ROUNDS,
    goal: `< ${GOAL_P99_MS} ms`,
    pass: p99 < GOAL_P99_MS,
  });
  report({
    bench: 'near',
    measure: 'answers unlike the scan’s, poles and antimeridian included',
    unit: `of ${QUERIES}`,
    ours: wrong.length,
    rounds: 1,
    goal: '0',
    pass: wrong.length === 0,
  });
} finally {
  database.close();
  rmSync(folder, { recursive: true, force: true });
}
