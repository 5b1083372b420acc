import type { PostFile, Ttl } from '../../contract/boards.js';
import type { PostProps } from '../../contract/clusters.js';
import { boxesAround, distanceKm, type Point } from '../../lib/geo.js';
import type { Database } from '../../storage/database.js';
import { type IdempotencyKey, once } from '../../storage/idempotency.js';
import type { Circle } from './near.js';

/** A post as it is kept; times are epoch seconds. */
export interface PostRow {
  seq: number;
  id: string;
  board: number;
  created_at: number;
  expires_at: number | null;
  ttl: Ttl;
  author: string;
  props: PostProps | null;
  file: PostFile | null;
  title: string;
  body: string;
}

/** What the lists look at beside the row, worked out from its props. */
export interface PostPlace {
  /** Its own point. */
  point: Point | undefined;
  /** It sets a place of its own, be it `none`. */
  hasPlace: boolean;
  /** Primary subtag of its own language. */
  lang: string | undefined;
}

export interface PostFilter {
  /** The board's row. */
  board: number;
  /** Epoch seconds: posts that have expired by then are left out. */
  now: number;
  /** Only rows before this one. */
  before: number;
  /** Only posts in this language; those without one of their own inherit the board's. */
  lang?: { primary: string; isInherited: boolean } | undefined;
}

/** A post that has expired, with what history tells of it. */
export interface ExpiredPost {
  seq: number;
  id: string;
  title: string;
  expires_at: number;
  board: string;
  slug: string;
  cluster: string;
}

type Row = Omit<PostRow, 'props' | 'file'> & { props: string | null; file: string | null };
type Placed = { seq: number; lat: number | null; lon: number | null; has_place: number };

const COLUMNS = 'seq, id, board, created_at, expires_at, ttl, author, props, file, title, body';
const LIVE = '(expires_at IS NULL OR expires_at > @now)';
const WANTED = `board = @board AND seq < @before AND ${LIVE}`;
const IN_LANG = ' AND (lang = @primary OR (lang IS NULL AND @isInherited = 1))';
/**
 * Beyond so many candidates in the boxes a search walks the board from its newest post on instead: where so many are near, a page is full long before the
 * board ends.
 */
const CANDIDATES_MAX = 4096;

const asPost = (row: Row): PostRow => ({
  ...row,
  props: row.props === null ? null : (JSON.parse(row.props) as PostProps),
  file: row.file === null ? null : (JSON.parse(row.file) as PostFile),
});

function valuesOf({ board, now, before, lang }: PostFilter): Record<string, number | string> {
  return { board, now, before, ...(lang && { primary: lang.primary, isInherited: lang.isInherited ? 1 : 0 }) };
}

/** Posts of all boards. The methods that change anything are to be called inside a write. Expired posts are left out of everything that takes `now`. */
export class PostsStore {
  constructor(private readonly database: Database) {}

  write<T>(change: () => T): Promise<T> {
    return this.database.write(change);
  }

  /** Runs `change` once per key, inside a write. */
  once<T>(key: IdempotencyKey | undefined, nowMs: number, change: () => T): T {
    return once(this.database, key, nowMs, change);
  }

  insert(post: Omit<PostRow, 'seq'>, { point, hasPlace, lang }: PostPlace): void {
    this.database
      .sql(
        `INSERT INTO posts (id, board, created_at, expires_at, has_place, lat, lon, lang, ttl, author, props, file, title, body)
         VALUES (@id, @board, @created_at, @expires_at, @has_place, @lat, @lon, @lang, @ttl, @author, @props, @file, @title, @body)`,
      )
      .run({
        ...post,
        props: post.props && JSON.stringify(post.props),
        file: post.file && JSON.stringify(post.file),
        has_place: hasPlace ? 1 : 0,
        lat: point?.lat ?? null,
        lon: point?.lon ?? null,
        lang: lang ?? null,
      });
  }

  /** A post of the board, whether it has expired or not. */
  find(board: number, id: string): PostRow | undefined {
    const row = this.database.sql(`SELECT ${COLUMNS} FROM posts WHERE id = ? AND board = ?`).get(id, board);
    return row === undefined ? undefined : asPost(row as Row);
  }

  /** When a post of any board of the cluster expires; undefined for one that does not exist. */
  findExpiry(cluster: string, id: string): { expires_at: number | null } | undefined {
    return this.database
      .sql('SELECT expires_at FROM posts JOIN boards ON boards.seq = posts.board WHERE posts.id = ? AND cluster = ?')
      .get(id, cluster) as { expires_at: number | null } | undefined;
  }

  countLive(board: number, now: number): number {
    const row = this.database.sql(`SELECT count(*) AS n FROM posts WHERE board = @board AND ${LIVE}`).get({ board, now });
    return (row as { n: number }).n;
  }

  /** Their rows, newest first. */
  list(filter: PostFilter, limit: number): number[] {
    return this.some(`${WANTED}${filter.lang ? IN_LANG : ''}`, valuesOf(filter), limit);
  }

  /**
   * The rows of those within the circle, newest first: by their own point, or by `inherited`, the point of every post that sets no place. Equal to measuring the
   * distance to each live post of the board.
   */
  listNear(filter: PostFilter, { centre, km }: Circle, inherited: Point | undefined, limit: number): number[] {
    const wanted = `${WANTED}${filter.lang ? IN_LANG : ''}`;
    const values = valuesOf(filter);
    const isNear = (point: Point) => distanceKm(centre, point) <= km;
    const isInheritedNear = inherited !== undefined && isNear(inherited);
    const isIn = ({ lat, lon, has_place }: Placed) =>
      has_place === 0 ? isInheritedNear : lat !== null && lon !== null && isNear({ lat, lon });

    const candidates = this.candidates(filter, { centre, km });
    if (candidates === undefined) return this.walk(wanted, values, isIn, limit);

    const one = this.database.sql(`SELECT seq, lat, lon, has_place FROM posts WHERE seq = @seq AND ${wanted}`);
    const found: number[] = [];
    for (const seq of candidates) {
      if (found.length === limit) break;
      const placed = one.get({ ...values, seq }) as Placed | undefined;
      if (placed && isIn(placed)) found.push(seq);
    }
    if (!isInheritedNear) return found;
    found.push(...this.some(`${wanted} AND has_place = 0`, values, limit));
    return found.sort((a, b) => b - a).slice(0, limit);
  }

  /** One post by its row. */
  row(seq: number): PostRow | undefined {
    const row = this.database.sql(`SELECT ${COLUMNS} FROM posts WHERE seq = ?`).get(seq);
    return row === undefined ? undefined : asPost(row as Row);
  }

  remove(seq: number): void {
    this.database.sql('DELETE FROM posts WHERE seq = ?').run(seq);
  }

  /** The next second at which a post expires; undefined when none ever will. */
  findNextExpiry(): number | undefined {
    const row = this.database.sql('SELECT min(expires_at) AS at FROM posts WHERE expires_at IS NOT NULL').get() as { at: number | null };
    return row.at ?? undefined;
  }

  /** Expired posts that are still kept, those that expired first before the others. */
  listExpired(now: number, limit: number): ExpiredPost[] {
    return this.database
      .sql(
        `SELECT posts.seq, posts.id, title, expires_at, boards.id AS board, slug, cluster FROM posts JOIN boards ON boards.seq = posts.board
         WHERE expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at, posts.seq LIMIT ?`,
      )
      .all(now, limit) as ExpiredPost[];
  }

  /** Posts with a point of their own on this board that lie in the boxes around the circle, newest first; undefined when there are too many to look at. */
  private candidates({ board, before }: PostFilter, { centre, km }: Circle): number[] | undefined {
    const found: number[] = [];
    for (const { south, north, west, east } of boxesAround(centre, km)) {
      const rows = this.database
        .sql(
          `SELECT post FROM post_places
           WHERE board_from <= @board AND board_to >= @board AND south <= @north AND north >= @south AND west <= @east AND east >= @west
           LIMIT ${CANDIDATES_MAX + 1}`,
        )
        .all({ board, south, north, west, east }) as { post: number }[];
      for (const { post } of rows) if (post < before) found.push(post);
      if (found.length > CANDIDATES_MAX) return undefined;
    }
    return found.sort((a, b) => b - a);
  }

  private walk(wanted: string, values: object, isIn: (placed: Placed) => boolean, limit: number): number[] {
    const found: number[] = [];
    const rows = this.database.sql(`SELECT seq, lat, lon, has_place FROM posts WHERE ${wanted} ORDER BY seq DESC`).iterate(values);
    for (const row of rows as Iterable<Placed>) {
      if (!isIn(row)) continue;
      found.push(row.seq);
      if (found.length === limit) break;
    }
    return found;
  }

  private some(wanted: string, values: object, limit: number): number[] {
    const rows = this.database.sql(`SELECT seq FROM posts WHERE ${wanted} ORDER BY seq DESC LIMIT @limit`).all({ ...values, limit });
    return (rows as { seq: number }[]).map(({ seq }) => seq);
  }
}
