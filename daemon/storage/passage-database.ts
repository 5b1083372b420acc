import { rmSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import type { Commit } from './git-log.js';

/** Raise it when what is stored, or how text is split into it, changes: an older file is then made anew. */
const SCHEMA_VERSION = 2;

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
  path, title, names, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (passage_words, 'row');
CREATE TABLE commits (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, at_ms INTEGER NOT NULL, author TEXT NOT NULL, subject TEXT NOT NULL);
CREATE TABLE commit_paths (commit_id INTEGER NOT NULL, path TEXT NOT NULL);
CREATE INDEX commit_paths_commit ON commit_paths (commit_id);
CREATE INDEX commit_paths_path ON commit_paths (path, commit_id);
CREATE VIRTUAL TABLE commit_words USING fts5 (subject, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
`;

export interface StoredFile {
  id: number;
  path: string;
  size: number;
  mtimeMs: number;
  sha256: string;
  /** False when the file was so fresh at its reading that it may have changed within the same tick of its clock. */
  settled: boolean;
  passages: number;
}

export interface NewFile {
  path: string;
  size: number;
  mtimeMs: number;
  sha256: string;
  settled: boolean;
  worth: number;
}

export interface NewPassage {
  startLine: number;
  endLine: number;
  kind: string;
  title: string;
  /** What is searched beside the title: words of the path, parts of names, the text itself. */
  pathWords: string;
  names: string;
  text: string;
}

export interface FoundPassage {
  id: number;
  file: number;
  path: string;
  worth: number;
  changedMs: number;
  startLine: number;
  endLine: number;
  kind: string;
  title: string;
  bm25: number;
}

export interface FoundCommit {
  id: number;
  hash: string;
  at: number;
  author: string;
  subject: string;
  bm25: number;
}

type Row = Record<string, unknown>;

/**
 * The searchable passages of the project, in a SQLite file of its own that can be deleted at any time: everything in it comes from the
 * tree. One of another version, or damaged, is made anew by `open`.
 */
export class PassageDatabase {
  private readonly statements = new Map<string, SQLite.Statement>();

  private constructor(private readonly sqlite: SQLite.Database) {}

  /** Opens the file at `path`; one that cannot be used is removed and made anew. */
  static open(path: string): PassageDatabase {
    try {
      return PassageDatabase.use(path);
    } catch {
      // Damaged, or of another version: nothing in it is worth mending.
      for (const part of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`]) rmSync(part, { force: true });
      return PassageDatabase.use(path);
    }
  }

  private static use(path: string): PassageDatabase {
    const sqlite = new SQLite(path, { timeout: 2_000 });
    try {
      for (const pragma of [
        'journal_mode = MEMORY',
        'synchronous = OFF',
        'locking_mode = EXCLUSIVE',
        'temp_store = MEMORY',
      ])
        sqlite.pragma(pragma);
      sqlite.pragma('cache_size = -65536');
      sqlite.pragma('trusted_schema = OFF');
      const version = sqlite.pragma('user_version', { simple: true });
      if (version === 0) {
        sqlite.transaction(() => {
          sqlite.exec(SCHEMA);
          // Larger leaves and fewer merges: the index is built once and searched often.
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

  /** Everything `change` writes stands together or not at all. */
  together(change: () => void): void {
    this.sqlite.transaction(change)();
  }

  files(): Map<string, StoredFile> {
    const rows = this.sql('SELECT id, path, size, mtime_ms, sha256, settled, passages FROM files').all() as Row[];
    return new Map(
      rows.map((row) => [
        row['path'] as string,
        {
          id: row['id'],
          path: row['path'],
          size: row['size'],
          mtimeMs: row['mtime_ms'],
          sha256: row['sha256'],
          settled: row['settled'] === 1,
          passages: row['passages'],
        } as StoredFile,
      ]),
    );
  }

  /** Sorted. */
  paths(): string[] {
    return (this.sql('SELECT path FROM files ORDER BY path').all() as { path: string }[]).map(({ path }) => path);
  }

  totals(): { files: number; passages: number; bytes: number } {
    return this.sql(
      'SELECT count(*) AS files, coalesce(sum(passages), 0) AS passages, coalesce(sum(size), 0) AS bytes FROM files',
    ).get() as {
      files: number;
      passages: number;
      bytes: number;
    };
  }

  /** Puts `file` with its passages in place of what was stored for its path. */
  put(file: NewFile, passages: readonly NewPassage[]): void {
    this.remove(file.path);
    const added = this.sql(
      'INSERT INTO files (path, size, mtime_ms, sha256, settled, worth, passages) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(file.path, file.size, file.mtimeMs, file.sha256, file.settled ? 1 : 0, file.worth, passages.length);
    const passage = this.sql('INSERT INTO passages (file, start_line, end_line, kind, title) VALUES (?, ?, ?, ?, ?)');
    const indexed = this.sql('INSERT INTO passage_words (rowid, path, title, names, text) VALUES (?, ?, ?, ?, ?)');
    for (const one of passages) {
      const { lastInsertRowid } = passage.run(added.lastInsertRowid, one.startLine, one.endLine, one.kind, one.title);
      indexed.run(lastInsertRowid, one.pathWords, one.title, one.names, one.text);
    }
  }

  /** Notes that the content stored for `path` still stands under another size or time. */
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
    this.sql('DELETE FROM passage_words WHERE rowid IN (SELECT id FROM passages WHERE file = ?)').run(file.id);
    this.sql('DELETE FROM passages WHERE file = ?').run(file.id);
    this.sql('DELETE FROM files WHERE id = ?').run(file.id);
  }

  meta(key: string): string | undefined {
    return (this.sql('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined)?.value;
  }

  setMeta(key: string, value: string): void {
    this.sql('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, value);
  }

  /** Replaces the remembered history. */
  putCommits(commits: readonly Commit[]): void {
    for (const table of ['commits', 'commit_paths', 'commit_words']) this.sqlite.exec(`DELETE FROM ${table}`);
    const commit = this.sql('INSERT INTO commits (id, hash, at_ms, author, subject) VALUES (?, ?, ?, ?, ?)');
    const path = this.sql('INSERT INTO commit_paths (commit_id, path) VALUES (?, ?)');
    const subject = this.sql('INSERT INTO commit_words (rowid, subject) VALUES (?, ?)');
    commits.forEach((one, index) => {
      commit.run(index + 1, one.hash, one.at, one.author, one.subject);
      subject.run(index + 1, one.subject);
      for (const touched of one.paths) path.run(index + 1, touched);
    });
    this.dateFiles();
  }

  /** Sets each file's last change from the remembered history. */
  dateFiles(): void {
    this.sqlite.exec(
      'UPDATE files SET changed_ms = coalesce((SELECT max(c.at_ms) FROM commit_paths p JOIN commits c ON c.id = p.commit_id WHERE p.path = files.path), 0)',
    );
  }

  /**
   * The best passages for an FTS5 `match` expression. A hit in the title counts six times one in the text, in the path four times, in the
   * parts of a name as much as in the text.
   */
  search(match: string, limit: number): FoundPassage[] {
    return this.sql(`
      SELECT p.id, p.file, f.path, f.worth, f.changed_ms AS changedMs, p.start_line AS startLine, p.end_line AS endLine, p.kind, p.title, -hit.score AS bm25
      FROM (SELECT rowid, bm25(passage_words, 4.0, 6.0, 1.0, 1.0) AS score FROM passage_words WHERE passage_words MATCH ? ORDER BY score, rowid LIMIT ?) hit
      JOIN passages p ON p.id = hit.rowid JOIN files f ON f.id = p.file
      ORDER BY hit.score, f.path, p.start_line`).all(match, limit) as FoundPassage[];
  }

  /** The passages of one file, in order. */
  passagesOf(path: string): FoundPassage[] {
    return this.sql(`
      SELECT p.id, p.file, f.path, f.worth, f.changed_ms AS changedMs, p.start_line AS startLine, p.end_line AS endLine, p.kind, p.title, 0.0 AS bm25
      FROM files f JOIN passages p ON p.file = f.id WHERE f.path = ? ORDER BY p.start_line`).all(
      path,
    ) as FoundPassage[];
  }

  searchCommits(match: string, limit: number): FoundCommit[] {
    return this.sql(`
      SELECT c.id, c.hash, c.at_ms AS at, c.author, c.subject, -hit.score AS bm25
      FROM (SELECT rowid, bm25(commit_words) AS score FROM commit_words WHERE commit_words MATCH ? ORDER BY score, rowid LIMIT ?) hit
      JOIN commits c ON c.id = hit.rowid ORDER BY hit.score, c.at_ms DESC, c.id`).all(match, limit) as FoundCommit[];
  }

  latestCommits(limit: number): FoundCommit[] {
    return this.sql('SELECT id, hash, at_ms AS at, author, subject, 0.0 AS bm25 FROM commits ORDER BY id LIMIT ?').all(
      limit,
    ) as FoundCommit[];
  }

  commitPaths(commit: number): string[] {
    return (
      this.sql('SELECT path FROM commit_paths WHERE commit_id = ? ORDER BY path').all(commit) as { path: string }[]
    ).map((row) => row.path);
  }

  /** The newest commits that touched `path`, newest first. */
  commitsOf(path: string, limit: number): FoundCommit[] {
    return this.sql(`
      SELECT c.id, c.hash, c.at_ms AS at, c.author, c.subject, 0.0 AS bm25 FROM commit_paths p JOIN commits c ON c.id = p.commit_id
      WHERE p.path = ? ORDER BY c.at_ms DESC, c.id LIMIT ?`).all(path, limit) as FoundCommit[];
  }

  /** How many passages match. Counted, since the vocabulary's own figures lag behind removals. */
  frequency(match: string): number {
    return (
      this.sql('SELECT count(*) AS found FROM passage_words WHERE passage_words MATCH ?').get(match) as {
        found: number;
      }
    ).found;
  }

  /** Every stem that begins with the letter `initial`, in order. */
  stemsFrom(initial: string): string[] {
    const rows = this.sql('SELECT term FROM vocabulary WHERE term >= ? AND term < ?').all(
      initial,
      `${initial}\u{10ffff}`,
    ) as {
      term: string;
    }[];
    return rows.map((row) => row.term);
  }

  /** The titles of passages that hold `part`, without regard to case. */
  titlesWith(part: string, limit: number): { path: string; title: string; startLine: number }[] {
    return this.sql(`
      SELECT f.path, p.title, p.start_line AS startLine FROM passages p JOIN files f ON f.id = p.file
      WHERE instr(lower(p.title), ?) > 0 ORDER BY f.worth DESC, f.path, p.start_line LIMIT ?`).all(
      part.toLowerCase(),
      limit,
    ) as {
      path: string;
      title: string;
      startLine: number;
    }[];
  }

  close(): void {
    this.sqlite.close();
  }

  private sql(text: string): SQLite.Statement {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.sqlite.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }
}
