import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, lstat, open, readdir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MeshError, systemCode } from '../../lib/errors.js';
import { isWithoutLinks } from '../files/hard-links.js';
import { parseRawEntries, zeroSeparated } from './git-output.js';
import type { GitRepository } from './git-repository.js';
import { copyIndex } from './snapshot.js';
import { withTemporaryIndex } from './temporary-index.js';

const TIMEOUT_MS = 120_000;
const LISTED_MAX = 10;
const ABSENT = '000000';
/** What git keeps while a command of the user waits for more. */
const UNDER_WAY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** A file that differs between two commits; `mode` is `000000` where it does not exist. */
interface ChangedEntry {
  path: string;
  /** It does not exist before. */
  isNew: boolean;
  mode: string;
  id: string;
}

const tryLstat = (path: string) => lstat(path).catch(() => undefined);
/** Names the first of some files. */
export const named = (paths: readonly string[]) =>
  paths.slice(0, LISTED_MAX).join(', ') + (paths.length > LISTED_MAX ? ` and ${paths.length - LISTED_MAX} more` : '');

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a lock of what `written` holds, unless one is there. It is never seen without its name: a process that is
 * killed leaves one that is known as its own, or none.
 */
export async function putLock(written: string, lock: string, makeLink = link): Promise<void> {
  try {
    await makeLink(written, lock);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    await copyFile(written, lock, constants.COPYFILE_EXCL);
  }
}

/** What differs from the working tree, without looking into repositories below: git would do that by their settings. */
const DIFFERING = ['diff', '--name-only', '--no-renames', '-z', '--ignore-submodules=dirty'];

/** A name for the lock of one move, by which the next process knows that the lock is its own. */
export const newLockName = (): string => `meshd ${randomBytes(12).toString('hex')}`;

/**
 * Takes the files and the index of one working tree from the commit `before` to the commit `after`, under git's own lock
 * of the index. Each step can be repeated after a crash: `resume` finds out from the files what is left to do.
 */
export class PlaceUpdate {
  private constructor(
    /** At the top of the working tree. */
    private readonly repository: GitRepository,
    private readonly before: string,
    private readonly after: string,
    private readonly own: { index: string; lock: string; next: string },
  ) {}

  /**
   * Takes the lock. Throws `in_flight` when another git holds it. A lock with the content `name` is one's own, left
   * behind by an earlier process.
   */
  static async lock(
    repository: GitRepository,
    { before, after, name }: { before: string; after: string; name: string },
  ): Promise<PlaceUpdate> {
    const { index } = await repository.findPlace();
    // A git that outlives a killed daemon still writes to the index of its own process.
    const own = { index, lock: `${index}.lock`, next: `${index}.meshd-${randomBytes(6).toString('hex')}` };
    const written = `${own.next}.name`;
    try {
      await writeDurably(written, name);
      await putLock(written, own.lock);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      if ((await readFile(own.lock, 'latin1').catch(() => undefined)) !== name)
        throw new MeshError(
          'in_flight',
          `Another git command works in ${repository.folder}. If none does, remove ${own.lock} and try again.`,
        );
    } finally {
      await rm(written, { force: true });
    }
    return new PlaceUpdate(repository, before, after, own);
  }

  /** Like the method, without the lock and for a tree or commit `after`: what it says may change at any time. */
  static requireClean(repository: GitRepository, before: string, after: string): Promise<void> {
    return withTemporaryIndex((next) =>
      new PlaceUpdate(repository, before, after, { index: next, lock: next, next }).requireClean(),
    );
  }

  /**
   * Throws `file_changed` with the files, unless each file that differs between the commits is as `before` has it and
   * nothing is in the way of a new one; and when a merge or rebase of the user is under way.
   */
  async requireClean(): Promise<void> {
    await this.requireQuiet();
    const entries = await this.entries();
    const changed = new Set(entries.map(({ path }) => path));
    await copyIndex(this.repository, this.own.next);
    const options = this.options();
    const touched = [
      ...zeroSeparated(await this.repository.output([...DIFFERING, this.before], options)),
      ...zeroSeparated(
        await this.repository.output(['diff', '--cached', '--name-only', '--no-renames', '-z', this.before], options),
      ),
    ];
    // A lower-case letter marks a file that git was told not to look at.
    const flagged = zeroSeparated(await this.repository.output(['ls-files', '-v', '-z'], options))
      .filter((line) => /^[a-zS]/.test(line))
      .map((line) => line.slice(2));
    const inWay = await this.pathsInWay(entries);
    const dirty = [...new Set([...touched, ...flagged].filter((path) => changed.has(path)).concat(inWay))].sort();
    if (dirty.length === 0) return;
    throw new MeshError(
      'file_changed',
      `These files of ${this.repository.folder} have changes that are not committed: ${named(dirty)}. Commit or ` +
        'stash them first.',
      { details: { paths: dirty.slice(0, 100) } },
    );
  }

  /** Writes and removes the files that differ. Only after `requireClean`. */
  async putFiles(): Promise<void> {
    const entries = await this.entries();
    await copyIndex(this.repository, this.own.next);
    await this.putIndexEntries(entries);
    await this.write(entries);
  }

  /**
   * Like `putFiles`, from any state that a crash left behind: files that hold neither commit's content were changed since
   * and stay. With `freshIndex`, the index lists `after` alone instead of keeping what else was staged. Files that a
   * sparse check-out leaves out stay left out.
   */
  async resumeFiles({ freshIndex }: { freshIndex: boolean }): Promise<void> {
    const entries = await this.entries();
    const [notOld, notNew] = [await this.differing(this.before), await this.differing(this.after)];
    const left: ChangedEntry[] = [];
    for (const entry of entries) {
      const { path } = entry;
      const isOld = !notOld.has(path) && !(await this.isUntrackedHere(entry));
      if (notNew.has(path) && (isOld || (await this.isTorn(entry)))) left.push(entry);
      else if (entry.mode === ABSENT && isOld) left.push(entry);
    }
    let hidden = new Set<string>();
    if (freshIndex) hidden = await this.readAfter();
    else {
      await copyIndex(this.repository, this.own.next);
      await this.putIndexEntries(entries);
    }
    await this.write(left.filter(({ path }) => !hidden.has(path)));
    await this.repository.run(['update-index', '-q', '--refresh'], this.options());
  }

  /** Puts the new index in place. */
  async putIndex(): Promise<void> {
    const file = await open(this.own.next, 'r+');
    await file.sync();
    await file.close();
    await rename(this.own.next, this.own.index);
  }

  /** Gives the lock back. Also after a failure, when nothing was changed. */
  async unlock(): Promise<void> {
    const folder = dirname(this.own.index);
    for (const name of await readdir(folder))
      if (name.startsWith(`${basename(this.own.index)}.meshd-`)) await rm(join(folder, name), { force: true });
    await rm(this.own.lock, { force: true });
  }

  private options() {
    return { env: { GIT_INDEX_FILE: this.own.next }, timeoutMs: TIMEOUT_MS };
  }

  private async requireQuiet(): Promise<void> {
    const { gitFolder } = await this.repository.findPlace();
    for (const name of UNDER_WAY)
      if (await tryLstat(join(gitFolder, name)))
        throw new MeshError(
          'file_changed',
          `A merge or rebase is under way in ${this.repository.folder}: end it first.`,
        );
    if (await this.isSparse())
      throw new MeshError(
        'file_changed',
        `${this.repository.folder} is a sparse check-out: merge in it by git itself.`,
      );
    const unmerged = await this.repository.output(['ls-files', '-u', '-z']);
    if (unmerged !== '')
      throw new MeshError('file_changed', `There are unresolved conflicts in ${this.repository.folder}.`);
  }

  private async isSparse(): Promise<boolean> {
    const sparse = await this.repository.run(['config', '--type=bool', '--get', 'core.sparseCheckout']);
    return sparse.stdout.trim() === 'true';
  }

  /** Makes the new index list `after` alone. Returns the files that a sparse check-out leaves out. */
  private async readAfter(): Promise<Set<string>> {
    await rm(this.own.next, { force: true });
    if (!(await this.isSparse())) {
      await this.repository.output(['read-tree', this.after], this.options());
      return new Set();
    }
    // Only the present index says which files are left out: without that mark they count as deleted.
    await copyIndex(this.repository, this.own.next);
    await this.repository.output(['read-tree', '--reset', '-i', this.after], this.options());
    const listed = zeroSeparated(await this.repository.output(['ls-files', '-v', '-z'], this.options()));
    return new Set(listed.filter((line) => /^[sS]/.test(line)).map((line) => line.slice(2)));
  }

  private async entries(): Promise<ChangedEntry[]> {
    const args = ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', this.before, this.after];
    return parseRawEntries(await this.repository.output(args, { timeoutMs: TIMEOUT_MS })).map(
      ({ path, oldMode, mode, id }) => ({ path, isNew: oldMode === ABSENT, mode, id }),
    );
  }

  private async putIndexEntries(entries: readonly ChangedEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const lines = entries.map(({ path, mode, id }) => `${mode} ${id}\t${path}\0`);
    await this.repository.output(['update-index', '-z', '--index-info'], { ...this.options(), input: lines.join('') });
  }

  private async write(entries: readonly ChangedEntry[]): Promise<void> {
    for (const { path } of entries.filter(({ mode }) => mode === ABSENT)) await this.remove(path);
    const paths = entries.filter(({ mode }) => mode !== ABSENT).map(({ path }) => path);
    if (paths.length === 0) return;
    const input = `${paths.join('\0')}\0`;
    await this.repository.output(['checkout-index', '-f', '-q', '-u', '-z', '--stdin'], { ...this.options(), input });
  }

  private async remove(path: string): Promise<void> {
    const { folder } = this.repository;
    // Nothing behind a link is removed.
    for (let above = dirname(path); above !== '.'; above = dirname(above))
      if (!(await tryLstat(join(folder, above)))?.isDirectory()) return;
    if ((await tryLstat(join(folder, path)))?.isDirectory() === false) await unlink(join(folder, path));
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      try {
        await rmdir(join(folder, above));
      } catch {
        return;
      }
    }
  }

  /** What is on the disk where a new file comes, and is not itself a file that changes. */
  private async pathsInWay(entries: readonly ChangedEntry[]): Promise<string[]> {
    const changed = new Set(entries.filter(({ isNew }) => !isNew).map(({ path }) => path));
    const inWay: string[] = [];
    for (const { path } of entries.filter(({ isNew }) => isNew)) {
      const there = await tryLstat(join(this.repository.folder, path));
      if (there && !(there.isDirectory() && (await this.holdsOnly(path, changed)))) inWay.push(path);
      for (let above = dirname(path); above !== '.'; above = dirname(above)) {
        const found = await tryLstat(join(this.repository.folder, above));
        if (found && !found.isDirectory() && !changed.has(above)) inWay.push(above);
      }
    }
    return inWay;
  }

  /** Whether each file in or below a folder is one of `paths`. */
  private async holdsOnly(folder: string, paths: ReadonlySet<string>): Promise<boolean> {
    for (const found of await readdir(join(this.repository.folder, folder), { withFileTypes: true })) {
      const path = `${folder}/${found.name}`;
      if (!(found.isDirectory() ? await this.holdsOnly(path, paths) : paths.has(path))) return false;
    }
    return true;
  }

  /** The files that are not as `commit` has them. */
  private differing(commit: string): Promise<Set<string>> {
    return withTemporaryIndex(async (index) => {
      const options = { env: { GIT_INDEX_FILE: index }, timeoutMs: TIMEOUT_MS };
      await this.repository.output(['read-tree', commit], options);
      return new Set(zeroSeparated(await this.repository.output(DIFFERING, options)));
    });
  }

  /** Whether a file is there that `before` does not have. */
  private async isUntrackedHere({ path, isNew }: ChangedEntry): Promise<boolean> {
    return isNew && (await tryLstat(join(this.repository.folder, path))) !== undefined;
  }

  /** Whether a file holds the beginning of what is being written, as a git that was stopped leaves it. */
  private async isTorn({ path, id }: ChangedEntry): Promise<boolean> {
    const place = join(this.repository.folder, path);
    const facts = await tryLstat(place);
    if (!facts) return true;
    if (!facts.isFile() || facts.size === 0) return facts.isFile();
    const whole = await this.repository.run(['cat-file', 'blob', id]);
    // The last character may be torn too.
    const beginning = (await readFile(place, 'utf8')).replace(/\ufffd$/, '');
    return whole.code === 0 && whole.stdout.startsWith(beginning);
  }
}
