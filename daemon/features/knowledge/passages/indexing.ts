import type { KnowledgeStatus } from '../../../contract/system.js';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import { findSecret } from '../../../lib/secrets/secrets.js';
import { compoundParts } from '../../../lib/text/words.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { NewPassage, PassageDatabase, StoredFile } from '../../../storage/database/passage-database.js';
import type { GitLog } from '../../../storage/git/git-log.js';
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
const TEXT_MAX_BYTES = 2 * 1024 ** 3;

/** Keeps the passage database in sync with the working tree: reads only changed files and removes deleted ones. */
export class Indexing {
  private state: KnowledgeStatus['state'] = 'idle';
  private done = 0;
  private total = 0;
  private passages = 0;
  private bytes = 0;
  private commit: string | null = null;
  private message: string | undefined;
  private dirty = true;
  /** The state of Git tracking as of the last scan. */
  tracking: Tracking = 'unknown';

  constructor(
    private readonly files: ProjectFiles,
    private readonly log: GitLog,
    private readonly database: PassageDatabase,
    private readonly clock: Clock,
  ) {}

  get status(): Omit<KnowledgeStatus, 'structure'> {
    const { state, done, total, passages, bytes, commit, message } = this;
    return {
      state,
      files_done: done,
      files_total: total,
      passages,
      bytes,
      left_out: this.leftOut.all,
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
      this.state = 'failed';
      this.message = 'The index cannot be written: check the space and permissions of `.mesh/state`.';
      throw error;
    }
  }

  private leftOutMessage: string | undefined;
  /** Files that the last scan left out for their number or size: all, and those that Git tracks. */
  leftOut = { all: 0, tracked: 0 };

  private *readTree(): Generator<void, void, void> {
    const { files, leftOut, skipped, tracking } = this.files.list();
    this.tracking = tracking;
    this.leftOut = skipped;
    const known = this.database.files();
    // When Git cannot be queried, the last known tracking state is kept, so that a single failure causes no re-reading.
    if (tracking === 'unknown') for (const file of files) file.tracked = known.get(file.path)?.tracked ?? false;
    const listed = new Set(files.map((file) => file.path));
    const gone = [...known.keys()].filter((path) => !listed.has(path));
    const changed = inReadingOrder(files.filter((file) => hasChanged(file, known.get(file.path))));
    this.total = files.length;
    this.done = files.length - changed.length;
    this.leftOutMessage =
      leftOut > 0 ? `${leftOut} files were left out: the index takes at most 1,000,000.` : undefined;
    // Citations of answers that are given during the first scan name it.
    if (this.state === 'indexing') this.commit ??= this.log.head() ?? null;
    this.recount();
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
    this.recount();
    if (this.readHistory()) yield;
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
        this.leftOut.all += 1;
        if (listed.tracked) this.leftOut.tracked += 1;
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
    const passages = newPassages(path, found.bytes);
    this.database.put(
      { path, size: found.size, mtimeMs: found.mtimeMs, sha256, settled, tracked, worth: computeFileWeight(path) },
      passages,
    );
    this.passages += passages.length - (before?.passages ?? 0);
    this.bytes += found.size - (before?.size ?? 0);
  }

  private recount(): void {
    const { passages, bytes } = this.database.totals();
    this.passages = passages;
    this.bytes = bytes;
  }

  /**
   * Reads the Git history again when another commit is checked out, and dates the files by it. Returns whether it did.
   */
  private readHistory(): boolean {
    const head = this.log.head() ?? null;
    const isNew = (head ?? '') !== (this.database.meta('head') ?? '');
    if (isNew) {
      this.dirty = true;
      const commits = head === null ? [] : this.log.commits();
      this.database.together(() => {
        this.database.putCommits(commits);
        this.database.setMeta('head', head ?? '');
      });
    } else if (this.dirty) {
      this.database.dateFiles();
    }
    this.commit = head;
    return isNew;
  }
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

/** Returns the passages to store for a file: none unless it is text, and none with something like a secret. */
function newPassages(path: string, bytes: Uint8Array): NewPassage[] {
  const text = readableText(bytes);
  if (text === undefined) return [];
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
