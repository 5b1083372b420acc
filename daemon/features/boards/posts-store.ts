import type { PostFile, Ttl } from '../../contract/boards.js';
import type { PostProps } from '../../contract/clusters.js';
import type { Point } from '../../lib/agents/geo.js';
import type { Database } from '../../storage/database/database.js';
import {
  deleteKeysWithPrefix,
  forgetOldKeys,
  type IdempotencyKey,
  onceShared,
} from '../../storage/database/idempotency.js';
import { getBindings, LIVE, type PostFilter, wantedBy } from './post-filter.js';

/** A stored post. Times are epoch seconds. */
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

/** Indexed columns derived from the post's props. */
interface PostPlace {
  /** Its own coordinates. */
  point: Point | undefined;
  /** Whether it sets a place of its own, including `none`. */
  hasPlace: boolean;
  /** Primary subtag of its own language. */
  lang: string | undefined;
}

/** An expired post, with the fields for its history event. */
interface ExpiredPost {
  seq: number;
  id: string;
  title: string;
  expires_at: number;
  board: string;
  cluster: string;
}

type Row = Omit<PostRow, 'props' | 'file'> & { props: string | null; file: string | null };

const COLUMNS = 'seq, id, board, created_at, expires_at, ttl, author, props, file, title, body';
const ROWS_AT_ONCE = 50;

const toPost = (row: Row): PostRow => ({
  ...row,
  props: row.props === null ? null : (JSON.parse(row.props) as PostProps),
  file: row.file === null ? null : (JSON.parse(row.file) as PostFile),
});

/**
 * The posts of all boards. Methods that write must be called only by deciders of commands. Methods that take
 * `now` exclude expired posts.
 */
export class PostsStore {
  constructor(private readonly database: Database) {}

  /** Runs `change` at most once per key. */
  once<T>(key: IdempotencyKey | undefined, nowMs: number, change: () => T): T {
    return onceShared(this.database, key, nowMs, change);
  }

  /** Deletes the Idempotency-Keys whose scope begins with `prefix`. */
  forgetKeys(prefix: string): void {
    deleteKeysWithPrefix(this.database, prefix);
  }

  /** Deletes the Idempotency-Keys of commands that have expired. */
  forgetOldKeys(nowMs: number): void {
    forgetOldKeys(this.database, nowMs, 'shared_answers');
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

  /** A post of the board, whether or not it has expired. */
  find(board: number, id: string): PostRow | undefined {
    const row = this.database.sql(`SELECT ${COLUMNS} FROM posts WHERE id = ? AND board = ?`).get(id, board);
    return row === undefined ? undefined : toPost(row as Row);
  }

  /** The expiry of a post on any board of the cluster. Undefined when it does not exist. */
  findExpiry(cluster: string, id: string): { expires_at: number | null } | undefined {
    return this.database
      .sql('SELECT expires_at FROM posts JOIN boards ON boards.seq = posts.board WHERE posts.id = ? AND cluster = ?')
      .get(id, cluster) as { expires_at: number | null } | undefined;
  }

  countLive(board: number, now: number): number {
    const row = this.database
      .sql(`SELECT count(*) AS n FROM posts WHERE board = @board AND ${LIVE}`)
      .get({ board, now });
    return (row as { n: number }).n;
  }

  /** The `seq` of the matching posts, newest first. */
  list(filter: PostFilter, limit: number): number[] {
    return this.database
      .sql(`SELECT seq FROM posts WHERE ${wantedBy(filter)} ORDER BY seq DESC LIMIT @limit`)
      .pluck()
      .all({ ...getBindings(filter), limit }) as number[];
  }

  /**
   * Iterates over the posts with these `seq` values, which must be sorted newest first. Rows are read in pages, so a
   * consumer that stops early does not load the rest.
   */
  *rows(seqs: readonly number[]): Iterable<PostRow> {
    const some = this.database.sql(
      `SELECT ${COLUMNS} FROM posts WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
    );
    for (let start = 0; start < seqs.length; start += ROWS_AT_ONCE) {
      for (const row of some.all(JSON.stringify(seqs.slice(start, start + ROWS_AT_ONCE))) as Row[]) yield toPost(row);
    }
  }

  remove(seq: number): void {
    this.database.sql('DELETE FROM posts WHERE seq = ?').run(seq);
  }

  /** The earliest expiry of any post, in epoch seconds. Infinite when no post expires. */
  findNextExpiry(): number {
    const row = this.database.sql('SELECT min(expires_at) AS at FROM posts WHERE expires_at IS NOT NULL').get() as {
      at: number | null;
    };
    return row.at ?? Number.POSITIVE_INFINITY;
  }

  /** Expired posts that are still stored, earliest expiry first. */
  listExpired(now: number, limit: number): ExpiredPost[] {
    return this.database
      .sql(
        `SELECT posts.seq, posts.id, title, expires_at, boards.id AS board, cluster FROM posts JOIN boards ON boards.seq = posts.board
         WHERE expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at, posts.seq LIMIT ?`,
      )
      .all(now, limit) as ExpiredPost[];
  }
}
