import type SQLite from 'better-sqlite3';
import { Statements } from './statements.js';

/** Passages of untracked files have ids from this value on, so that one comparison excludes them. */
export const UNTRACKED_FROM = 2 ** 40;

/** The key in `meta` of whether there are commits newer than the stored ones. */
export const HISTORY_BEHIND = 'history_behind';

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

interface Totals {
  files: number;
  notText: number;
  passages: number;
  bytes: number;
}

/** Reads the stored passages: all of them, or only those of the files that git tracks. */
export class PassageReader {
  private readonly statements: Statements;
  /** The largest passage id in scope. */
  private readonly lastId: number;
  private readonly isTrackedOnly: 0 | 1;
  private known: readonly string[] | undefined;

  constructor(
    protected readonly sqlite: SQLite.Database,
    scope: 'all' | 'tracked',
  ) {
    this.statements = new Statements(sqlite);
    this.isTrackedOnly = scope === 'tracked' ? 1 : 0;
    this.lastId = scope === 'tracked' ? UNTRACKED_FROM - 1 : Number.MAX_SAFE_INTEGER;
  }

  /** Returns the paths of the files, sorted. The list is kept until `forgetPaths`. */
  paths(): readonly string[] {
    this.known ??= this.readPaths();
    return this.known;
  }

  /** Must be called whenever files were added or removed. */
  forgetPaths(): void {
    this.known = undefined;
  }

  private readPaths(): string[] {
    const rows = this.sql('SELECT path FROM files WHERE tracked >= ? ORDER BY path').pluck();
    return rows.all(this.isTrackedOnly) as string[];
  }

  holds(path: string): boolean {
    return this.sql('SELECT 1 FROM files WHERE path = ? AND tracked >= ?').get(path, this.isTrackedOnly) !== undefined;
  }

  /** Counts the files that are text, those that are not, and the passages and bytes of all. */
  totals(): Totals {
    return this.sql(
      'SELECT coalesce(sum(is_text), 0) AS files, coalesce(sum(1 - is_text), 0) AS notText, ' +
        'coalesce(sum(passages), 0) AS passages, coalesce(sum(size), 0) AS bytes FROM files WHERE tracked >= ?',
    ).get(this.isTrackedOnly) as Totals;
  }

  /**
   * Returns the top `limit` passages for an FTS5 `match` expression. A match in the title has six times the weight of
   * one in the text, in the path four times; parts of names have the weight of the text.
   */
  search(match: string, limit: number): FoundPassage[] {
    return this.sql(`
      SELECT p.id, p.file, f.path, f.worth, f.changed_ms AS changedMs, p.start_line AS startLine, p.end_line AS endLine, p.kind, p.title, -hit.score AS bm25
      FROM (SELECT rowid, bm25(passage_words, 4.0, 6.0, 1.0, 1.0) AS score FROM passage_words WHERE passage_words MATCH ? AND rowid <= ?
        ORDER BY score, rowid LIMIT ?) hit
      JOIN passages p ON p.id = hit.rowid JOIN files f ON f.id = p.file
      ORDER BY hit.score, f.path, p.start_line`).all(match, this.lastId, limit) as FoundPassage[];
  }

  /** Returns the passages of one file, in order. */
  listPassages(path: string): FoundPassage[] {
    return this.sql(`
      SELECT p.id, p.file, f.path, f.worth, f.changed_ms AS changedMs, p.start_line AS startLine, p.end_line AS endLine, p.kind, p.title, 0.0 AS bm25
      FROM files f JOIN passages p ON p.file = f.id WHERE f.path = ? AND f.tracked >= ? ORDER BY p.start_line`).all(
      path,
      this.isTrackedOnly,
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

  /** Returns the first `limit` of the paths that a commit touched. */
  commitPaths(commit: number, limit: number): string[] {
    const paths = this.sql('SELECT path FROM commit_paths WHERE commit_id = ? ORDER BY path LIMIT ?').pluck();
    return paths.all(commit, limit) as string[];
  }

  /** Whether there are commits newer than the stored ones, because git failed to list them. */
  get isHistoryBehind(): boolean {
    return this.sql('SELECT 1 FROM meta WHERE key = ? AND value <> ?').get(HISTORY_BEHIND, '') !== undefined;
  }

  /** Returns the newest commit after `commit` of which not all paths are stored. */
  cutAfter(commit: FoundCommit): FoundCommit | undefined {
    return this.sql(`
      SELECT id, hash, at_ms AS at, author, subject, 0.0 AS bm25 FROM commits
      WHERE is_cut = 1 AND (at_ms > ? OR (at_ms = ? AND id < ?)) ORDER BY at_ms DESC, id LIMIT 1`).get(
      commit.at,
      commit.at,
      commit.id,
    ) as FoundCommit | undefined;
  }

  /** Returns the newest commits that touched `path`, newest first. */
  listCommits(path: string, limit: number): FoundCommit[] {
    return this.sql(`
      SELECT c.id, c.hash, c.at_ms AS at, c.author, c.subject, 0.0 AS bm25 FROM commit_paths p JOIN commits c ON c.id = p.commit_id
      WHERE p.path = ? ORDER BY c.at_ms DESC, c.id LIMIT ?`).all(path, limit) as FoundCommit[];
  }

  /** Returns how many passages match. They are counted, since the vocabulary's own figures lag behind removals. */
  frequency(match: string): number {
    return (
      this.sql('SELECT count(*) AS found FROM passage_words WHERE passage_words MATCH ? AND rowid <= ?').get(
        match,
        this.lastId,
      ) as { found: number }
    ).found;
  }

  /**
   * Returns every stem that begins with the letter `initial`, in order. Some may occur only in passages out of scope.
   */
  stemsFrom(initial: string): string[] {
    const rows = this.sql('SELECT term FROM vocabulary WHERE term >= ? AND term < ?').all(
      initial,
      `${initial}\u{10ffff}`,
    ) as {
      term: string;
    }[];
    return rows.map((row) => row.term);
  }

  /** Returns passages whose title contains `part`, case-insensitively. */
  titlesWith(part: string, limit: number): { path: string; title: string; startLine: number }[] {
    // `folded` takes several times as long, and there may be a million titles.
    const fold = /^[\0-\x7f]*$/.test(part) ? 'lower' : 'folded';
    return this.sql(`
      SELECT f.path, p.title, p.start_line AS startLine FROM passages p JOIN files f ON f.id = p.file
      WHERE instr(${fold}(p.title), ${fold}(?)) > 0 AND f.tracked >= ?
      ORDER BY f.worth DESC, f.path, p.start_line LIMIT ?`).all(part, this.isTrackedOnly, limit) as {
      path: string;
      title: string;
      startLine: number;
    }[];
  }

  protected sql(text: string): SQLite.Statement {
    return this.statements.of(text);
  }
}
