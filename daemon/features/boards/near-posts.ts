import { boxesAround, distanceKm, type Point } from '../../lib/agents/geo.js';
import type { Database } from '../../storage/database/database.js';
import type { Circle } from './near.js';
import { getBindings, type PostFilter, wantedBy } from './post-filter.js';

/** A post with a point, or without a place of its own when the inherited one is within the circle. */
interface Placed extends Point {
  seq: number;
  has_place: number;
}

/**
 * Maximum number of posts in the bounding boxes that are checked one by one. Beyond it, the board is scanned from its
 * newest post; with that many posts nearby, a page is full long before the scan ends.
 */
const CANDIDATES_MAX = 1024;
/** An empty box, used when a single box is enough. */
const NOWHERE = { west: 1, east: -1 };
const PLACED = 'seq, lat, lon, has_place';
const IN_BOXES = `(has_place = 0 AND @isInheritedNear = 1
  OR lat BETWEEN @south AND @north AND (lon BETWEEN @west AND @east OR lon BETWEEN @west2 AND @east2))`;

/**
 * Finds posts by location. A post without a place of its own has the place of its board, which is one point for all
 * such posts: they match together, and moving a board or a cluster requires no write to posts. The others are looked up
 * in an R*Tree of points, first by bounding box, then by great-circle distance.
 */
export class NearPosts {
  constructor(private readonly database: Database) {}

  /**
   * The `seq` of the matching posts within the circle, newest first, at most `limit`. `inherited` is the point of posts
   * without a place of their own. The result equals that of measuring the distance to every post. Spec: Read rules, 2.
   */
  list(filter: PostFilter, { centre, km }: Circle, inherited: Point | undefined, limit: number): number[] {
    const isNear = (point: Point) => distanceKm(centre, point) <= km;
    const isInheritedNear = inherited !== undefined && isNear(inherited);
    const isIn = (one: Placed) => one.has_place === 0 || isNear(one);

    const candidates = this.candidates(filter, { centre, km });
    if (candidates === undefined) return this.walk(filter, { centre, km }, isInheritedNear, isIn, limit);
    const one = this.database.sql(`SELECT ${PLACED} FROM posts WHERE seq = @seq AND ${wantedBy(filter)}`);
    const values = getBindings(filter);
    const found: number[] = [];
    for (const seq of candidates) {
      if (found.length === limit) break;
      const placed = one.get({ ...values, seq }) as Placed | undefined;
      if (placed && isIn(placed)) found.push(seq);
    }
    if (!isInheritedNear) return found;
    const inheriting = this.database
      .sql(`SELECT seq FROM posts WHERE ${wantedBy(filter)} AND has_place = 0 ORDER BY seq DESC LIMIT @limit`)
      .pluck()
      .all({ ...values, limit }) as number[];
    return [...found, ...inheriting].sort((a, b) => b - a).slice(0, limit);
  }

  /**
   * Posts of this board with a point in the bounding boxes of the circle, newest first. Undefined when there are too
   * many to check one by one.
   */
  private candidates({ board, before }: PostFilter, { centre, km }: Circle): number[] | undefined {
    const inBox = this.database
      .sql(
        `SELECT post FROM post_places
         WHERE board_from <= @board AND board_to >= @board AND south <= @north AND north >= @south AND west <= @east AND east >= @west
         LIMIT ${CANDIDATES_MAX + 1}`,
      )
      .pluck();
    const found: number[] = [];
    for (const box of boxesAround(centre, km)) {
      found.push(...(inBox.all({ board, ...box }) as number[]));
      if (found.length > CANDIDATES_MAX) return undefined;
    }
    return found.filter((seq) => seq < before).sort((a, b) => b - a);
  }

  /** Scans the board from its newest post until `limit` matches are found. */
  private walk(
    filter: PostFilter,
    { centre, km }: Circle,
    isInheritedNear: boolean,
    isIn: (one: Placed) => boolean,
    limit: number,
  ): number[] {
    const [box, other = NOWHERE] = boxesAround(centre, km);
    const some = this.database.sql(
      `SELECT ${PLACED} FROM posts WHERE ${wantedBy(filter)} AND ${IN_BOXES} ORDER BY seq DESC LIMIT @count`,
    );
    const values = {
      ...getBindings(filter),
      ...box,
      west2: other.west,
      east2: other.east,
      isInheritedNear: isInheritedNear ? 1 : 0,
    };
    const found: number[] = [];
    let before = filter.before;
    for (;;) {
      const rows = some.all({ ...values, before, count: 2 * limit }) as Placed[];
      for (const row of rows) {
        if (isIn(row)) found.push(row.seq);
        if (found.length === limit) return found;
      }
      if (rows.length < 2 * limit) return found;
      before = (rows.at(-1) as Placed).seq;
    }
  }
}
