import { basename } from 'node:path';
import type { Citation } from '../../../contract/asks.js';
import type { CodePlaces, CodeQuery, ProjectNames } from '../../../contract/code.js';
import { CITATIONS_MAX } from '../../../contract/limits.js';
import type { FileLines, KnowledgeStatus, StructureStatus } from '../../../contract/system.js';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import { MeshError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import { PassageDatabase } from '../../../storage/database/passage-database.js';
import type { PassageReader } from '../../../storage/database/passage-reader.js';
import { FollowedFiles } from '../../../storage/followed-files.js';
import type { GitEnvironment } from '../../../storage/git/git-command.js';
import { GitLog } from '../../../storage/git/git-log.js';
import { TRACKING_UNKNOWN } from '../../../storage/git/tracked-files.js';
import { safeLines } from '../../../storage/members/project-tools-text.js';
import { ProjectFiles } from '../../../storage/project-files.js';
import { Answering } from '../answering.js';
import { Citations } from '../citations.js';
import type { Cite } from '../composition.js';
import { type Answer, NO_MODEL_LINE, type PlainQuestion, type Profile, READ_LINES_MAX } from '../knowledge.js';
import { bestPaths, pathsContaining } from '../path-match.js';
import { Recheck } from '../recheck.js';
import { Search } from '../search.js';
import { findCode } from '../structure/code-places.js';
import { StructureAnswers } from '../structure/structure-answers.js';
import { StructureQueries } from '../structure/structure-queries.js';
import { Structuring } from '../structure/structuring.js';
import type { Parsing } from '../structure/syntax-parser.js';
import { TraceNotes } from '../trace-notes.js';
import type { ZipfOf } from '../words/word-frequency.js';
import { mayBeIndexed, readableText, splitLines } from './file-worth.js';
import { Indexing } from './indexing.js';

/** How long a scan counts as fresh: ten times its duration, within these limits. */
const FRESH_MIN_MS = 250;
const FRESH_MAX_MS = 2_000;
/** How long a followed tree is not listed as a whole: some ways of writing, for example `mmap`, are not reported. */
const FOLLOWED_MS = 300_000;
const CACHED_FILES_MAX = 400;
/** Further words of a search for names are ignored. */
const NAME_WORDS_MAX = 8;

interface ProjectIndexOptions {
  root: string;
  /** The index's own SQLite file. It is created anew when it cannot be used. */
  database: string;
  environment: GitEnvironment;
  clock: Clock;
  /** How common a word is in English; default: the list of the package. */
  zipfOf?: ZipfOf;
  /** From this number of files on, changes are watched for instead of listing the tree again; see `FollowedFiles`. */
  followedFrom?: number;
}

/** The readers of the index for one profile. */
interface View {
  database: PassageReader;
  citations: Citations;
  recheck: Recheck;
  search: Search;
  answering: Answering;
  queries: StructureQueries;
}

/**
 * The project's index, complete and synchronous: scans the tree, searches, answers, checks citations. It reads only
 * files of the project, writes only its own database, and runs no program but Git, hardened so that the repository
 * configuration cannot run one either.
 */
export class ProjectIndex {
  private readonly files: ProjectFiles;
  private readonly followed: FollowedFiles;
  private readonly database: PassageDatabase;
  private readonly indexing: Indexing;
  private readonly structuring: Structuring;
  private readonly views: Readonly<Record<Profile, View>>;
  private readonly clock: Clock;
  private readonly zipfOf: ZipfOf | undefined;
  private readonly folder: string;
  private readonly texts = new Map<string, readonly string[]>();
  private scanned: { at: number; tookMs: number } | undefined;
  private listedAt = Number.NEGATIVE_INFINITY;

  constructor({ root, database, environment, clock, zipfOf, followedFrom }: ProjectIndexOptions) {
    this.clock = clock;
    this.zipfOf = zipfOf;
    this.folder = basename(root);
    this.files = new ProjectFiles(root, environment, mayBeIndexed);
    const log = new GitLog(root, environment);
    this.database = PassageDatabase.open(database);
    this.followed = new FollowedFiles(this.files, root, environment, { from: followedFrom });
    this.indexing = new Indexing(this.files, this.followed, log, this.database, clock);
    this.structuring = new Structuring(this.files, this.database, clock);
    const readable = { read: (path: string) => (this.isTracked(path) ? this.files.read(path) : undefined) };
    this.views = {
      operator: this.view('all', new Citations(this.files, log, () => this.indexing.status.commit)),
      outside: this.view('tracked', new Citations(readable, log, () => this.indexing.status.commit, true)),
    };
  }

  private view(scope: 'all' | 'tracked', citations: Citations): View {
    const database = scope === 'all' ? this.database : this.database.tracked;
    const search = new Search(database, (path) => this.lines(path), this.zipfOf);
    const cite: Cite = (path, start, end) => citations.cite(path, start, end);
    const queries = new StructureQueries(this.database.structureReader(scope));
    const linesOf = (path: string) => this.lines(path);
    const isReady = () => this.structure.state === 'ready';
    const submodules = () => this.indexing.submodules;
    const structure = new StructureAnswers(queries, cite, isReady, { paths: () => database.paths(), linesOf });
    const answering = new Answering({ database, folder: this.folder, search, cite, linesOf, structure, submodules });
    return { database, citations, recheck: new Recheck(citations), search, answering, queries };
  }

  private isTracked(path: string): boolean {
    return this.indexing.tracking !== 'unknown' && this.database.tracked.holds(path);
  }

  get status(): KnowledgeStatus {
    return { ...this.indexing.status, structure: this.structure };
  }

  get structure(): StructureStatus {
    return this.structuring.status;
  }

  /** Whether the structure graph waits for a file that has to be parsed. */
  get needsParser(): boolean {
    return this.structuring.needsParser;
  }

  /** Whether the structure graph is behind the text index. */
  get isStructurePending(): boolean {
    return this.structuring.isPending;
  }

  /**
   * Brings the structure graph up to date with the last scan. Pauses between slices. Throws when it cannot be written;
   * questions about structure are then answered by the text search.
   */
  *readStructure(parser: Parsing): Generator<void, void, void> {
    try {
      yield* this.structuring.update(parser);
    } catch (error) {
      this.structuring.fail();
      throw error;
    }
  }

  /** Whether the last scan is recent enough that another would find nothing new. */
  get isFresh(): boolean {
    if (!this.scanned || this.status.state !== 'ready') return false;
    if (this.isFollowing) return this.followed.isQuiet && !this.isListingOld;
    const holds = Math.min(FRESH_MAX_MS, Math.max(FRESH_MIN_MS, this.scanned.tookMs * 10));
    return this.clock.elapsed() - this.scanned.at < holds;
  }

  /** Whether the project is so large that following its changes, which the next scan begins, is worth it. */
  get isWorthFollowing(): boolean {
    return this.followed.isWorthFollowing;
  }

  /** Whether changes are known without a scan; see `FollowedFiles`. */
  get isFollowing(): boolean {
    return this.followed.isFollowing;
  }

  /** Resolves when every change that was made before the call is known, as far as changes are followed. */
  async settle(): Promise<void> {
    if (this.isFollowing) await this.followed.settle();
  }

  private get isListingOld(): boolean {
    return this.clock.elapsed() - this.listedAt > FOLLOWED_MS;
  }

  /** Updates the index. Pauses between slices, so that the caller can do other work. */
  *scan(): Generator<void, void, void> {
    const started = this.clock.elapsed();
    if (this.isListingOld) this.followed.distrust();
    if (!this.followed.isFollowing) this.listedAt = started;
    let working = 0;
    let resumed = started;
    for (const _ of this.indexing.scan()) {
      working += this.clock.elapsed() - resumed;
      yield;
      resumed = this.clock.elapsed();
    }
    working += this.clock.elapsed() - resumed;
    if (this.indexing.takeChange()) {
      for (const { search } of Object.values(this.views)) search.forget();
      this.texts.clear();
      this.structuring.markStale();
    }
    for (const { recheck } of Object.values(this.views)) recheck.forget();
    this.scanned = { at: started, tookMs: working };
  }

  /** Whether only the structure graph, which is not complete yet, answers the question. */
  needsStructure(text: string, profile: Profile = 'operator'): boolean {
    return this.views[profile].answering.needsStructure(text);
  }

  /**
   * Answers from the state of the last scan. Without `isFresh`, the answer may describe an older tree. At a pause of
   * the first scan it is given from the files that were read so far, and says so. `notes` tell how it was found.
   */
  answer(question: PlainQuestion, notes = new TraceNotes(this.clock)): Answer {
    const { profile = 'operator' } = question;
    if (profile === 'outside' && this.indexing.tracking === 'unknown')
      return {
        text: `${TRACKING_UNKNOWN}\n\n${NO_MODEL_LINE}`,
        citations: [],
        confidence: 'none',
        searched: { files: 0, left_out: this.status.files_total },
      };
    const { answering, database, search } = this.views[profile];
    const { all, tracked } = this.indexing.leftOut;
    const { pending } = this.indexing;
    // The size of the index is kept until the end of a scan.
    if (pending > 0) search.forget();
    const { files, notText } = database.totals();
    const searched = {
      files,
      left_out: profile === 'outside' ? tracked : all,
      ...(notText > 0 ? { not_text: notText } : {}),
      ...(pending > 0 ? { pending } : {}),
    };
    return { ...answering.answer(question, searched, notes), searched };
  }

  /** Whether the files of all citations were read and are in scope. */
  holds(citations: readonly Citation[], profile: Profile = 'operator'): boolean {
    const { database } = this.views[profile];
    return citations.every(({ path }) => database.holds(path));
  }

  /** Checks citations against the files on disk. All after the first 200 are dropped unread. */
  check(citations: readonly Citation[], profile: Profile = 'operator'): Citation[] {
    const view = this.views[profile];
    return citations.map((citation, index) =>
      index < CITATIONS_MAX ? view.citations.check(citation) : { ...citation, commit: null, status: 'dropped' },
    );
  }

  /** Looks again at citations of earlier answers; see `Knowledge`. Results are kept until the next scan. */
  recheck(citations: readonly Citation[], profile: Profile = 'operator'): Citation[] {
    if (profile === 'outside' && this.indexing.tracking === 'unknown') return [...citations];
    const { recheck } = this.views[profile];
    if (!this.isFresh) recheck.forget();
    return recheck.recheck(citations);
  }

  /** Returns lines of an indexable file without lines that look like secrets. Throws `not_found` and `bad_request`. */
  readLines(path: string, start = 1, end = start + READ_LINES_MAX - 1, profile: Profile = 'operator'): FileLines {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 1 || end < start) {
      throw new MeshError('bad_request', '`start` must be 1 or more and `end` not before it.', {
        details: { path: 'end' },
      });
    }
    const bytes = profile === 'operator' || this.isTracked(path) ? this.files.read(path)?.bytes : undefined;
    const text = bytes && readableText(bytes);
    if (text === undefined)
      throw new MeshError('not_found', 'No text file of this project that may be read has this path.');
    const all = safeLines(text, { isStrict: profile === 'outside' });
    const endLine = Math.min(end, all.length, start + READ_LINES_MAX - 1);
    const lines = all.slice(start - 1, endLine);
    return {
      path,
      start_line: start,
      end_line: Math.max(endLine, start),
      total_lines: all.length,
      lines,
      sha256: sha256Hex(lines.join('\n')),
      ...(this.database.holds(path) && !this.database.tracked.holds(path) ? { untracked: true } : {}),
    };
  }

  /** Looks places up in the structure graph; finds none, with its state, while it is not complete. */
  findCode(query: CodeQuery, name: string | undefined, profile: Profile = 'operator'): CodePlaces {
    const { state } = this.structure;
    if (state === 'ready' && !(profile === 'outside' && this.indexing.tracking === 'unknown'))
      return findCode(this.views[profile].queries, query, name);
    return {
      state: state === 'failed' ? 'failed' : 'building',
      is_known: false,
      total: 0,
      files: 0,
      by_name: false,
      places: [],
      near: [],
    };
  }

  /** Returns paths of the files that the last scan found, best match first. */
  findPaths(words: string, limit: number, profile: Profile = 'operator'): string[] {
    if (profile === 'outside' && this.indexing.tracking === 'unknown') return [];
    return bestPaths(this.views[profile].database.paths(), words, limit);
  }

  /** Returns files and symbols that contain every word of `text`, best match first. */
  findNames(text: string, limit: number, profile: Profile = 'operator'): ProjectNames {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, NAME_WORDS_MAX);
    if (words.length === 0 || (profile === 'outside' && this.indexing.tracking === 'unknown'))
      return { files: [], symbols: [] };
    const { database, queries } = this.views[profile];
    const definitions = this.structure.state === 'ready' ? queries.named(words, limit) : [];
    return {
      files: pathsContaining(database.paths(), words, limit),
      symbols: definitions.map(({ name, kind, container, path, startLine, endLine }) => ({
        name,
        kind,
        container,
        path,
        start_line: startLine,
        end_line: endLine,
      })),
    };
  }

  close(): void {
    this.followed.close();
    this.database.close();
  }

  /** Closes the index and removes its file, which is damaged. */
  discard(): void {
    this.followed.close();
    this.database.discard();
  }

  private lines(path: string): readonly string[] | undefined {
    let lines = this.texts.get(path);
    if (!lines) {
      const bytes = this.files.read(path)?.bytes;
      const text = bytes && readableText(bytes);
      if (text === undefined) return undefined;
      lines = splitLines(text);
      if (this.texts.size >= CACHED_FILES_MAX) this.texts.clear();
      this.texts.set(path, lines);
    }
    return lines;
  }
}
