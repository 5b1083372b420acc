import type { PostFile, Ttl } from '../../contract/boards.js';
import type { PostProps } from '../../contract/clusters.js';
import type { Point } from '../../lib/geo.js';
import type { Database } from '../../storage/database.js';
import { forgetKeysOf, type IdempotencyKey, once } from '../../storage/idempotency.js';
import { LIVE, type PostFilter, valuesOf, wantedBy } from './post-filter.js';

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

const COLUMNS = 'seq, id, board, created_at, expires_at, ttl, author, props, file, title, body';
/** Rows that are read at once. */
const ROWS_AT_ONCE = 50;

const asPost = (row: Row): PostRow => ({
  ...row,
  props: row.props === null ? null : (JSON.parse(row.props) as PostProps),
  file: row.file === null ? null : (JSON.parse(row.file) as PostFile),
});

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

  /** Forgets the keys whose scope begins with `prefix`. */
  forgetKeys(prefix: string): void {
    forgetKeysOf(this.database, prefix);
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
    const row = this.database
      .sql(`SELECT count(*) AS n FROM posts WHERE board = @board AND ${LIVE}`)
      .get({ board, now });
    return (row as { n: number }).n;
  }

  /** Their rows, newest first. */
  list(filter: PostFilter, limit: number): number[] {
    return this.database
      .sql(`SELECT seq FROM posts WHERE ${wantedBy(filter)} ORDER BY seq DESC LIMIT @limit`)
      .pluck()
      .all({ ...valuesOf(filter), limit }) as number[];
  }

  /** The posts of these rows, newest first as they are given; read a few at a time, so that one who stops early has not read the rest. */
  *rows(seqs: readonly number[]): Iterable<PostRow> {
    const some = this.database.sql(
      `SELECT ${COLUMNS} FROM posts WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
    );
    for (let start = 0; start < seqs.length; start += ROWS_AT_ONCE) {
      for (const row of some.all(JSON.stringify(seqs.slice(start, start + ROWS_AT_ONCE))) as Row[]) yield asPost(row);
    }
  }

  remove(seq: number): void {
    this.database.sql('DELETE FROM posts WHERE seq = ?').run(seq);
  }

  /** The next second at which a post expires; undefined when none ever will. */
  findNextExpiry(): number | undefined {
    const row = this.database.sql('SELECT min(expires_at) AS at FROM posts WHERE expires_at IS NOT NULL').get() as {
      at: number | null;
    };
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
}
