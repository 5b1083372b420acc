import type { Citation } from '../../contract/asks.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';
import type { Clock } from '../../lib/clock.js';
import { sha256Hex } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
import type { GitEnvironment } from '../../storage/git-command.js';
import { GitLog } from '../../storage/git-log.js';
import { PassageDatabase } from '../../storage/passage-database.js';
import { ProjectFiles } from '../../storage/project-files.js';
import { safeLines } from '../../storage/project-tools-text.js';
import { Answering } from './answering.js';
import { Citations } from './citations.js';
import { linesOf, mayBeIndexed, readableText } from './file-worth.js';
import { Indexing } from './indexing.js';
import { type Answer, type PlainQuestion, READ_LINES_MAX } from './knowledge.js';
import { bestPaths } from './path-match.js';
import { Search } from './search.js';

/** How long a look at the tree holds: at least this, and ten times what it took, up to the most. */
const FRESH_MIN_MS = 250;
const FRESH_MAX_MS = 2_000;
const CITATIONS_MAX = 200;
const FILES_KEPT = 400;

export interface ProjectIndexOptions {
  root: string;
  /** The index's own SQLite file; it is made anew when it cannot be used. */
  database: string;
  environment: GitEnvironment;
  clock: Clock;
}

/**
 * The project's index, whole and synchronous: reads the tree, finds, answers, checks. It reads files of the project only, writes its own
 * database only, and starts no program but git, whose repository configuration is kept from starting any.
 */
export class ProjectIndex {
  private readonly files: ProjectFiles;
  private readonly database: PassageDatabase;
  private readonly indexing: Indexing;
  private readonly citations: Citations;
  private readonly search: Search;
  private readonly answering: Answering;
  private readonly clock: Clock;
  private readonly texts = new Map<string, readonly string[]>();
  private scanned: { at: number; tookMs: number } | undefined;

  constructor({ root, database, environment, clock }: ProjectIndexOptions) {
    this.clock = clock;
    this.files = new ProjectFiles(root, environment, mayBeIndexed);
    const log = new GitLog(root, environment);
    this.database = PassageDatabase.open(database);
    this.indexing = new Indexing(this.files, log, this.database, clock);
    this.citations = new Citations(this.files, log, () => this.indexing.status.commit);
    this.search = new Search(this.database, (path) => this.lines(path));
    this.answering = new Answering({
      database: this.database,
      search: this.search,
      cite: (path, start, end) => this.citations.cite(path, start, end),
      linesOf: (path) => this.lines(path),
    });
  }

  get status(): KnowledgeStatus {
    return this.indexing.status;
  }

  /** True when the tree was looked at so recently that another look would tell nothing. */
  get isFresh(): boolean {
    if (!this.scanned || this.status.state !== 'ready') return false;
    const holds = Math.min(FRESH_MAX_MS, Math.max(FRESH_MIN_MS, this.scanned.tookMs * 10));
    return this.clock.elapsed() - this.scanned.at < holds;
  }

  /** Brings the index up to date, pausing between slices so that its host can do other things. */
  *scan(): Generator<void, void, void> {
    const started = this.clock.elapsed();
    let working = 0;
    let resumed = started;
    for (const _ of this.indexing.scan()) {
      working += this.clock.elapsed() - resumed;
      yield;
      resumed = this.clock.elapsed();
    }
    working += this.clock.elapsed() - resumed;
    if (this.indexing.takeChange()) {
      this.search.forget();
      this.texts.clear();
    }
    this.scanned = { at: started, tookMs: working };
  }

  /** Answers from what the last scan found; to be called when `isFresh`, or the answer may speak of an older tree. */
  answer(question: PlainQuestion): Answer {
    return this.answering.answer(question);
  }

  /** The citations as they stand now; anything beyond 200 of them is dropped unread. */
  check(citations: readonly Citation[]): Citation[] {
    return citations.map((citation, index) =>
      index < CITATIONS_MAX ? this.citations.check(citation) : { ...citation, commit: null, status: 'dropped' },
    );
  }

  /** Lines of a file that the index may read; a line that looks like a secret is withheld. Throws `not_found` and `bad_request`. */
  readLines(path: string, start = 1, end = start + READ_LINES_MAX - 1): FileLines {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 1 || end < start) {
      throw new MeshError('bad_request', '`start` must be 1 or more and `end` not before it.', {
        details: { path: 'end' },
      });
    }
    const bytes = this.files.read(path)?.bytes;
    const text = bytes && readableText(bytes);
    if (text === undefined)
      throw new MeshError('not_found', 'No text file of this project that may be read has this path.');
    const all = safeLines(text);
    const endLine = Math.min(end, all.length, start + READ_LINES_MAX - 1);
    const lines = all.slice(start - 1, endLine);
    return {
      path,
      start_line: start,
      end_line: Math.max(endLine, start),
      total_lines: all.length,
      lines,
      sha256: sha256Hex(lines.join('\n')),
    };
  }

  /** Paths of the files that the last scan found, best match first. */
  findPaths(words: string, limit: number): string[] {
    return bestPaths(this.database.paths(), words, limit);
  }

  close(): void {
    this.database.close();
  }

  private lines(path: string): readonly string[] | undefined {
    let lines = this.texts.get(path);
    if (!lines) {
      const bytes = this.files.read(path)?.bytes;
      const text = bytes && readableText(bytes);
      if (text === undefined) return undefined;
      lines = linesOf(text);
      if (this.texts.size >= FILES_KEPT) this.texts.clear();
      this.texts.set(path, lines);
    }
    return lines;
  }
}
