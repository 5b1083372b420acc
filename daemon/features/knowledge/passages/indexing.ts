import type { KnowledgeStatus } from '../../../contract/system.js';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import { systemCode } from '../../../lib/errors.js';
import { findSecret } from '../../../lib/secrets/secrets.js';
import { compoundParts } from '../../../lib/text/words.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { NewPassage, PassageDatabase, StoredFile } from '../../../storage/database/passage-database.js';
import type { FollowedFiles, Listing } from '../../../storage/followed-files.js';
import type { Commit, GitLog } from '../../../storage/git/git-log.js';
import type { Tracking } from '../../../storage/git/tracked-files.js';
import type { ListedFile, ProjectFiles } from '../../../storage/project-files.js';
import { computeFileWeight, readableText, splitLines } from './file-worth.js';
import { splitPassages } from './passages.js';

const SLICE_MS = 25;
/** The first scan uses fewer and larger transactions, since no question can be answered before it ends. */
const FIRST_SLICE_MS = 100;
/**
 * A file that was modified less than this before it was read may change again with the same size and modification time.
 */
const UNSETTLED_MS = 2_000;
/** How long after a failure the history of the same commit is not tried again: git may have taken minutes. */
const HISTORY_RETRY_MS = 600_000;
const CANNOT_WRITE = 'The index cannot be written: check the space and permissions of `.mesh/state`.';
const FAULT = 'The index met a fault of its own: see the log.';
const TEXT_MAX_BYTES = 2 * 1024 ** 3;

/** Keeps the passage database in sync with the working tree: reads only changed files and removes deleted ones. */
export class Indexing {
  private state: KnowledgeStatus['state'] = 'idle';
  private done = 0;
  private total = 0;
  private passages = 0;
  private bytes = 0;
  private commit: string | null = null;
  /** The number of files that were read and are not text. */
  private notText = 0;
  private message: string | undefined;
  private historyFailed: { mark: string; at: number } | undefined;
  private dirty = true;
  /** The state of Git tracking as of the last scan. */
  tracking: Tracking = 'unknown';

  constructor(
    private readonly files: Pick<ProjectFiles, 'read'>,
    private readonly followed: Pick<FollowedFiles, 'follow' | 'next' | 'distrust' | 'stillThere'>,
    private readonly log: Pick<GitLog, 'head' | 'markOf' | 'commits'>,
    private readonly database: PassageDatabase,
    private readonly clock: Clock,
  ) {}

  get status(): Omit<KnowledgeStatus, 'structure'> {
    const { state, passages, bytes, commit, message, notText } = this;
    return {
      state,
      files_done: Math.max(0, this.done - notText),
      files_total: Math.max(0, this.total - notText),
      passages,
      bytes,
      left_out: this.leftOut.all,
      not_text: notText,
      commit,
      ...(message === undefined ? {} : { message }),
    };
  }

  /** Number of files that the first scan has not read yet; 0 afterwards. */
  get pending(): number {
    return this.state === 'indexing' ? this.total - this.done : 0;
  }

  /** Whether the last scan changed anything that can be found. Reading it resets it. */
  takeChange(): boolean {
    const changed = this.dirty;
    this.dirty = false;
    return changed;
  }

  /**
   * Updates the index in slices of about 25 ms (100 ms in the first scan) and pauses after each. The database is
   * consistent at every pause.
   */
  *scan(): Generator<void, void, void> {
    if (this.state !== 'ready') this.state = 'indexing';
    try {
      yield* this.readTree();
      this.message = this.leftOutMessage;
      this.state = 'ready';
    } catch (error) {
      // What was listed as changed may not have been stored, and is not reported again.
      this.followed.distrust();
      this.state = 'failed';
      this.message = systemCode(error) === undefined ? FAULT : CANNOT_WRITE;
      throw error;
    }
  }

  private leftOutMessage: string | undefined;
  private skipped = new Map<string, boolean>();
  /** Submodules as of the last list of the whole project. They count as left out. */
  submodules: readonly string[] = [];
  /** Files for which the last scan found no more space in the index, each with whether Git tracks it. */
  private unfit = new Map<string, boolean>();

  /** Files that were left out for their number, size or name, and submodules: all, and those that Git tracks. */
  get leftOut(): { all: number; tracked: number } {
    const own = [...this.skipped.values(), ...this.unfit.values()];
    return { all: own.length, tracked: own.filter(Boolean).length };
  }

  private *readTree(): Generator<void, void, void> {
    yield* this.followed.follow();
    const listing = this.followed.next();
    this.tracking = listing.list.tracking;
    const known = this.getKnown(listing);
    if (this.tracking === 'unknown') this.keepKnown(listing, known);
    const { files } = listing.list;
    const listed = new Set(files.map((file) => file.path));
    const gone = [...known.keys()].filter((path) => !listed.has(path));
    const isNamed = listing.paths !== undefined;
    const changed = inReadingOrder(files.filter((file) => isNamed || hasChanged(file, known.get(file.path))));
    this.count(listing, gone.length, files.filter(({ path }) => !known.has(path)).length, changed.length);
    // Citations of answers that are given during the first scan name it.
    if (this.state === 'indexing') this.commit ??= this.log.head() ?? null;
    if (listing.paths === undefined) this.recount();
    yield;
    if (gone.length > 0) {
      this.dirty = true;
      this.database.together(() => {
        for (const path of gone) this.database.remove(path);
      });
    }
    for (let next = 0; next < changed.length; ) {
      next = this.readSlice(changed, next, known);
      yield;
    }
    if (gone.length + changed.length > 0) this.recount();
    if (this.readHistory(changed.map(({ path }) => path))) yield;
  }

  /**
   * Completes a list that was made without Git by the known files that are still there, with their tracking state, so
   * that a single failure causes no re-reading.
   */
  private keepKnown({ list }: Listing, known: ReadonlyMap<string, StoredFile>): void {
    const listed = new Set(list.files.map(({ path }) => path));
    const others = this.followed.stillThere([...known.keys()].filter((path) => !listed.has(path)));
    list.files = [...list.files, ...others];
    for (const file of list.files) file.tracked = known.get(file.path)?.tracked ?? false;
  }

  private getKnown({ paths }: Listing): Map<string, StoredFile> {
    if (paths === undefined) return this.database.files();
    return new Map(paths.flatMap((path) => this.database.file(path) ?? []).map((file) => [file.path, file]));
  }

  /** Counts the files that are listed and left out. */
  private count({ paths, list }: Listing, gone: number, added: number, changed: number): void {
    if (paths === undefined) {
      this.skipped = new Map(list.skipped);
      this.unfit.clear();
      this.submodules = list.submodules;
      this.total = list.files.length;
      this.leftOutMessage =
        list.leftOut > 0
          ? `${list.leftOut} files were left out: the index takes at most 1,000,000.`
          : nameSubmodules(list.submodules);
    } else {
      for (const path of paths) {
        this.skipped.delete(path);
        this.unfit.delete(path);
      }
      for (const [path, tracked] of list.skipped) this.skipped.set(path, tracked);
      this.total += added - gone;
    }
    this.done = this.total - changed;
  }

  private readSlice(changed: readonly ListedFile[], from: number, known: ReturnType<PassageDatabase['files']>): number {
    const started = this.clock.elapsed();
    const budgetMs = this.state === 'ready' ? SLICE_MS : FIRST_SLICE_MS;
    let next = from;
    this.database.together(() => {
      while (next < changed.length && (next === from || this.clock.elapsed() - started < budgetMs)) {
        const file = changed[next] as ListedFile;
        this.readOne(file, known.get(file.path));
        next += 1;
        this.done += 1;
      }
    });
    return next;
  }

  private readOne(listed: ListedFile, before: StoredFile | undefined): void {
    const found = this.bytes < TEXT_MAX_BYTES || before !== undefined ? this.files.read(listed.path) : undefined;
    if (!found) {
      if (this.bytes >= TEXT_MAX_BYTES) {
        this.unfit.set(listed.path, listed.tracked);
        this.leftOutMessage = 'Some files were left out: the index takes at most 2 GiB of text.';
      }
      if (before !== undefined) {
        this.dirty = true;
        this.passages -= before.passages;
        this.bytes -= before.size;
      }
      this.database.remove(listed.path);
      return;
    }
    const sha256 = sha256Hex(found.bytes);
    const settled = found.mtimeMs < this.clock.now() - UNSETTLED_MS;
    if (sha256 === before?.sha256 && listed.tracked === before.tracked) {
      this.database.touch(listed.path, found.size, found.mtimeMs, settled);
      return;
    }
    this.dirty = true;
    const { path, tracked } = listed;
    const text = readableText(found.bytes);
    const passages = text === undefined ? [] : newPassages(path, text);
    const { size, mtimeMs } = found;
    const worth = computeFileWeight(path);
    this.database.put({ path, size, mtimeMs, sha256, settled, tracked, worth, isText: text !== undefined }, passages);
    this.passages += passages.length - (before?.passages ?? 0);
    this.bytes += found.size - (before?.size ?? 0);
  }

  private recount(): void {
    const { passages, bytes, notText } = this.database.totals();
    this.passages = passages;
    this.bytes = bytes;
    this.notText = notText;
  }

  /**
   * Reads the Git history again when another commit is checked out, and dates the files by it, otherwise those of
   * `paths`. Returns whether it was read. What is stored stays while Git cannot tell.
   */
  private readHistory(paths: readonly string[]): boolean {
    const head = this.log.head() ?? null;
    this.commit = head;
    const mark = head === null ? '' : this.log.markOf(head);
    const isNew = mark !== (this.database.meta('head') ?? '');
    const commits = isNew ? this.findCommits(mark) : undefined;
    if (commits) {
      this.dirty = true;
      this.database.together(() => {
        this.database.putCommits(commits);
        this.database.setMeta('head', mark);
        this.database.setHistoryBehind(false);
      });
    } else if (this.dirty) {
      this.database.dateFiles(paths);
    }
    return commits !== undefined;
  }

  private findCommits(mark: string): readonly Commit[] | undefined {
    if (mark === '') return this.tracking === 'unknown' ? undefined : [];
    const now = this.clock.elapsed();
    if (this.historyFailed?.mark === mark && now - this.historyFailed.at < HISTORY_RETRY_MS) return undefined;
    const commits = this.log.commits();
    this.historyFailed = commits ? undefined : { mark, at: this.clock.elapsed() };
    if (!commits) this.database.setHistoryBehind(true);
    return commits;
  }
}

const SUBMODULES_NAMED_MAX = 5;

function nameSubmodules(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const more = paths.length > SUBMODULES_NAMED_MAX ? ` and ${paths.length - SUBMODULES_NAMED_MAX} more` : '';
  return `Submodules are not searched: ${paths.slice(0, SUBMODULES_NAMED_MAX).join(', ')}${more}.`;
}

/** Deeper files are read in the order of their paths. */
const DEPTH_MAX = 8;

/**
 * Returns the files in the order in which they are read: what is asked about first is near the root, and questions that
 * arrive during the first scan are answered from what was read. Passages are written in the order of their ids, and
 * untracked files have the highest, so they come last.
 */
function inReadingOrder(files: readonly ListedFile[]): ListedFile[] {
  return files
    .map((file) => ({ file, depth: Math.min(DEPTH_MAX, file.path.split('/').length) }))
    .sort((a, b) => Number(b.file.tracked) - Number(a.file.tracked) || a.depth - b.depth)
    .map(({ file }) => file);
}

/** Whether the file must be read again: it is new, may have changed, or its tracking state changed. */
function hasChanged(file: ListedFile, before: StoredFile | undefined): boolean {
  if (before === undefined || !before.settled || before.tracked !== file.tracked) return true;
  return before.size !== file.size || before.mtimeMs !== file.mtimeMs;
}

/** Returns the passages to store for a file: none with something like a secret. */
function newPassages(path: string, text: string): NewPassage[] {
  const lines = splitLines(text);
  const starts = lineStarts(text);
  const hasSecret = findSecret(text) !== undefined;
  const pathWords = `${path} ${compoundParts(path)}`;
  return splitPassages(path, lines).flatMap(({ startLine, endLine, kind, title }) => {
    const passage = text.slice(starts[startLine - 1], starts[endLine]);
    if (!/\S/.test(passage) || (hasSecret && findSecret(passage) !== undefined)) return [];
    return [{ startLine, endLine, kind, title, pathWords, names: compoundParts(title, passage), text: passage }];
  });
}

/** Returns the offset at which each line of `text` starts. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
