import { rmSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { toIndexed } from '../../lib/text/words.js';
import { DATABASE_ENDINGS } from '../../private/private-names.js';
import type { Commit } from '../git/git-log.js';
import { HISTORY_BEHIND, PassageReader, UNTRACKED_FROM } from './passage-reader.js';
import { openPrivateSqlite } from './sqlite.js';
import { StructureReader } from './structure-reader.js';
import { STRUCTURE_SCHEMA } from './structure-schema.js';
import { StructureTables } from './structure-tables.js';

/** Must be raised when the stored data, or how text is split into passages, changes. An older file is then rebuilt. */
const SCHEMA_VERSION = 10;

/** With the marks that `toIndexed` leaves, which are vowels. */
const TOKENIZER = `"porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"`;

const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  sha256 TEXT NOT NULL,
  settled INTEGER NOT NULL,
  worth REAL NOT NULL,
  changed_ms INTEGER NOT NULL DEFAULT 0,
  tracked INTEGER NOT NULL,
  is_text INTEGER NOT NULL,
  passages INTEGER NOT NULL
);
CREATE TABLE passages (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL
);
CREATE INDEX passages_file ON passages (file);
CREATE VIRTUAL TABLE passage_words USING fts5 (
  path, title, names, text, content = '', contentless_delete = 1, tokenize = ${TOKENIZER}
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (passage_words, 'row');
CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  author TEXT NOT NULL,
  subject TEXT NOT NULL,
  is_cut INTEGER NOT NULL
);
CREATE TABLE commit_paths (commit_id INTEGER NOT NULL, path TEXT NOT NULL);
CREATE INDEX commit_paths_commit ON commit_paths (commit_id);
CREATE INDEX commit_paths_path ON commit_paths (path, commit_id);
CREATE VIRTUAL TABLE commit_words USING fts5 (subject, content = '', contentless_delete = 1, tokenize = ${TOKENIZER});
`;

export interface StoredFile {
  id: number;
  path: string;
  size: number;
  mtimeMs: number;
  sha256: string;
  /**
   * False when the file was modified so shortly before it was read that a later change could carry the same timestamp.
   */
  settled: boolean;
  /** Whether git tracks it. In a project without git every file counts as tracked. */
  tracked: boolean;
  passages: number;
}

interface NewFile extends Omit<StoredFile, 'id' | 'passages'> {
  worth: number;
  /** Whether it can be searched. A file that is not text is kept, so that it is not read again. */
  isText: boolean;
}

export interface NewPassage {
  startLine: number;
  endLine: number;
  kind: string;
  title: string;
  /** The other searched columns beside the title: words of the path, parts of names, and the text itself. */
  pathWords: string;
  names: string;
  text: string;
}

type Row = Record<string, unknown>;

const STORED_FILE = 'id, path, size, mtime_ms, sha256, settled, tracked, passages';
const DATE_FILES =
  'UPDATE files SET changed_ms = coalesce((SELECT max(c.at_ms) FROM commit_paths p JOIN commits c ON c.id ' +
  '= p.commit_id WHERE p.path = files.path), 0)';
/** Dating all files reads the history once, dating one file an index. */
const DATED_ONE_BY_ONE = 1_000;

const toStoredFile = (row: Row) =>
  ({
    id: row['id'],
    path: row['path'],
    size: row['size'],
    mtimeMs: row['mtime_ms'],
    sha256: row['sha256'],
    settled: row['settled'] === 1,
    tracked: row['tracked'] === 1,
    passages: row['passages'],
  }) as StoredFile;

/** Pages of the log after which they are moved into the file, about 16 MB: a quarter of SQLite's number of syncs. */
const CHECKPOINT_PAGES = 4_000;

/**
 * The searchable passages of the project, in a SQLite file of its own that can be deleted at any time, because all its
 * content is derived from the tree. `open` rebuilds a file of another version or one that is damaged where it begins.
 */
export class PassageDatabase extends PassageReader {
  /** The reader for other programs: it sees only tracked files. */
  readonly tracked: PassageReader;
  /** The structure graph of the same files. */
  readonly structure: StructureTables;

  private constructor(sqlite: SQLite.Database) {
    super(sqlite, 'all');
    this.tracked = new PassageReader(sqlite, 'tracked');
    this.structure = new StructureTables(sqlite);
  }

  /** Opens the file at `path`. A file that cannot be used is removed and rebuilt. */
  static open(path: string): PassageDatabase {
    try {
      return PassageDatabase.use(path);
    } catch {
      // Damaged, of another version, or a link: nothing in it needs to be recovered, and the
      // removal affects only this name.
      removeDatabase(path);
      return PassageDatabase.use(path);
    }
  }

  private static use(path: string): PassageDatabase {
    const sqlite = openPrivateSqlite(path, { timeout: 2_000 });
    try {
      for (const pragma of [
        'locking_mode = EXCLUSIVE',
        // A process that is killed leaves whole transactions: what is stored of a file is complete or absent.
        'journal_mode = WAL',
        // Syncs when pages are moved into the file, not with each transaction: a few times in a first scan, mostly
        // never in a later one. Without it, a power failure could leave an index whose damage no read notices.
        'synchronous = NORMAL',
        `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
        'temp_store = MEMORY',
      ])
        sqlite.pragma(pragma);
      sqlite.pragma('cache_size = -65536');
      sqlite.pragma('trusted_schema = OFF');
      const version = sqlite.pragma('user_version', { simple: true });
      if (version === 0) {
        sqlite.transaction(() => {
          sqlite.exec(SCHEMA);
          sqlite.exec(STRUCTURE_SCHEMA);
          // Larger leaves and fewer merges, because the index is built once and searched often.
          sqlite.exec("INSERT INTO passage_words (passage_words, rank) VALUES ('pgsz', 4050), ('hashsize', 16777216)");
          sqlite.pragma(`user_version = ${SCHEMA_VERSION}`);
        })();
      } else if (version !== SCHEMA_VERSION) {
        throw new Error(`schema ${String(version)}`);
      }
      sqlite.prepare('SELECT count(*) FROM files').get();
      return new PassageDatabase(sqlite);
    } catch (error) {
      sqlite.close();
      throw error;
    }
  }

  /** Returns the reader of the structure graph, of all files or of those that git tracks. */
  structureReader(scope: 'all' | 'tracked'): StructureReader {
    return new StructureReader(this.sqlite, scope);
  }

  /** Runs `change` in one transaction. */
  together(change: () => void): void {
    this.sqlite.transaction(change)();
  }

  files(): Map<string, StoredFile> {
    const rows = this.sql(`SELECT ${STORED_FILE} FROM files`).all() as Row[];
    return new Map(rows.map((row) => [row['path'] as string, toStoredFile(row)]));
  }

  file(path: string): StoredFile | undefined {
    const row = this.sql(`SELECT ${STORED_FILE} FROM files WHERE path = ?`).get(path) as Row | undefined;
    return row && toStoredFile(row);
  }

  /** Stores `file` with its passages and replaces what was stored for its path. */
  put(file: NewFile, passages: readonly NewPassage[]): void {
    this.remove(file.path);
    this.forgetAllPaths();
    const added = this.sql(
      'INSERT INTO files (path, size, mtime_ms, sha256, settled, tracked, worth, is_text, passages) VALUES (?, ?, ?, ' +
        '?, ?, ?, ?, ?, ?)',
    ).run(
      file.path,
      file.size,
      file.mtimeMs,
      file.sha256,
      file.settled ? 1 : 0,
      file.tracked ? 1 : 0,
      file.worth,
      file.isText ? 1 : 0,
      passages.length,
    );
    const passage = this.sql(
      'INSERT INTO passages (id, file, start_line, end_line, kind, title) VALUES (?, ?, ?, ?, ?, ?)',
    );
    const indexed = this.sql('INSERT INTO passage_words (rowid, path, title, names, text) VALUES (?, ?, ?, ?, ?)');
    let id = this.lastPassage(file.tracked);
    for (const one of passages) {
      id += 1;
      passage.run(id, added.lastInsertRowid, one.startLine, one.endLine, one.kind, one.title);
      indexed.run(id, ...[one.pathWords, one.title, one.names, one.text].map(toIndexed));
    }
  }

  private lastPassage(tracked: boolean): number {
    const [above, below] = tracked ? [0, UNTRACKED_FROM] : [UNTRACKED_FROM, Number.MAX_SAFE_INTEGER];
    const { last } = this.sql('SELECT max(id) AS last FROM passages WHERE id >= ? AND id < ?').get(above, below) as {
      last: number | null;
    };
    return last ?? above;
  }

  /** Records a new size and time for `path` when its stored content is unchanged. */
  touch(path: string, size: number, mtimeMs: number, settled: boolean): void {
    this.sql('UPDATE files SET size = ?, mtime_ms = ?, settled = ? WHERE path = ?').run(
      size,
      mtimeMs,
      settled ? 1 : 0,
      path,
    );
  }

  remove(path: string): void {
    const file = this.sql('SELECT id FROM files WHERE path = ?').get(path) as { id: number } | undefined;
    if (!file) return;
    this.forgetAllPaths();
    this.sql('DELETE FROM passage_words WHERE rowid IN (SELECT id FROM passages WHERE file = ?)').run(file.id);
    this.sql('DELETE FROM passages WHERE file = ?').run(file.id);
    this.sql('DELETE FROM files WHERE id = ?').run(file.id);
  }

  private forgetAllPaths(): void {
    this.forgetPaths();
    this.tracked.forgetPaths();
  }

  /** Records whether there are commits newer than the stored ones. */
  setHistoryBehind(isBehind: boolean): void {
    this.setMeta(HISTORY_BEHIND, isBehind ? '1' : '');
  }

  meta(key: string): string | undefined {
    return (this.sql('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined)?.value;
  }

  setMeta(key: string, value: string): void {
    this.sql('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, value);
  }

  /** Replaces the stored commit history. */
  putCommits(commits: readonly Commit[]): void {
    for (const table of ['commits', 'commit_paths', 'commit_words']) this.sqlite.exec(`DELETE FROM ${table}`);
    const commit = this.sql('INSERT INTO commits (id, hash, at_ms, author, subject, is_cut) VALUES (?, ?, ?, ?, ?, ?)');
    const path = this.sql('INSERT INTO commit_paths (commit_id, path) VALUES (?, ?)');
    const subject = this.sql('INSERT INTO commit_words (rowid, subject) VALUES (?, ?)');
    commits.forEach((one, index) => {
      commit.run(index + 1, one.hash, one.at, one.author, one.subject, one.isCut ? 1 : 0);
      subject.run(index + 1, toIndexed(one.subject));
      for (const touched of one.paths) path.run(index + 1, touched);
    });
    this.dateFiles();
  }

  /** Sets the time of last change from the stored commit history: of `paths` when they are few, otherwise of all. */
  dateFiles(paths?: readonly string[]): void {
    if (paths === undefined || paths.length > DATED_ONE_BY_ONE) {
      this.sqlite.exec(DATE_FILES);
      return;
    }
    const date = this.sql(`${DATE_FILES} WHERE path = ?`);
    for (const path of paths) date.run(path);
  }

  close(): void {
    this.sqlite.close();
  }

  /** Closes and removes the file. */
  discard(): void {
    this.close();
    removeDatabase(this.sqlite.name);
  }
}

function removeDatabase(path: string): void {
  for (const ending of ['', ...DATABASE_ENDINGS]) rmSync(path + ending, { force: true });
}
