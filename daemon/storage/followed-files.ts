import { lstatSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { sha256Hex } from '../lib/crypto/digests.js';
import { type GitEnvironment, gitOutput, WHOLE_PROJECT_MS } from './git/git-command.js';
import type { FileList, ListedFile, ProjectFiles } from './project-files.js';
import { look, TreeWatch, type WatchFolder } from './tree-watch.js';

/** A smaller project is listed faster than it is worth watching. */
const FOLLOWED_FROM = 2_000;
const LIST_TRACKED = ['ls-files', '-c', '-z'];
const LIST_IGNORED_FOLDERS = ['ls-files', '-o', '-i', '--exclude-standard', '--directory', '-z'];
/** The command refuses literal path patterns, which the paths need not be: each begins with `./`. */
const CHECK_IGNORED = ['--no-literal-pathspecs', '-c', 'core.quotePath=false', 'check-ignore', '--'];
const CANDIDATES_MAX = 2_000;
const IGNORED_MAX = 10_000;

/** What must be looked at again: these files, or all. */
export interface Listing {
  /** The paths whose files `list` holds, unless they are gone; undefined when it holds the whole project. */
  paths: readonly string[] | undefined;
  list: FileList;
}

/** Places in git's folder that are written when another commit, branch or set of tracked files is there. */
interface GitFolder {
  own: string;
  common: string;
}

/**
 * Lists a project, and afterwards only what has changed in it, as far as `TreeWatch` can know that. Which files git
 * tracks is read from git again whenever its index was written.
 */
export class FollowedFiles {
  private readonly watch: TreeWatch;
  private readonly from: number;
  private folder: GitFolder | undefined;
  private marks = '';
  private excludes = '';
  private trackedDigest = '';
  private size = 0;
  private isWhole = true;
  /** Whether there may be folders that are not watched. */
  private isAstray = true;
  /** Paths that were reported and that git ignores. */
  private ignored = new Set<string>();
  private pending = new Set<string>();

  constructor(
    private readonly files: ProjectFiles,
    private readonly root: string,
    private readonly environment: GitEnvironment,
    { from = FOLLOWED_FROM, watchFolder }: { from?: number; watchFolder?: WatchFolder } = {},
  ) {
    this.watch = new TreeWatch(root, watchFolder);
    this.from = from;
  }

  /** Whether changes are known without listing the whole project. */
  get isFollowing(): boolean {
    return this.watch.isOn && !this.isWhole && !this.isAstray;
  }

  /** Whether the project is large enough to be followed, and it was not tried yet. */
  get isWorthFollowing(): boolean {
    return !this.watch.isOn && !this.watch.hasFailed && this.folder !== undefined && this.size >= this.from;
  }

  /** Whether nothing has changed since the last `next`. Only `settle` makes it know of what was changed just now. */
  get isQuiet(): boolean {
    if (!this.isFollowing) return false;
    if (!this.watch.isQuiet) this.sort(this.watch.take());
    return this.isFollowing && this.pending.size === 0 && !this.isGitTouched;
  }

  settle(): Promise<void> {
    return this.watch.settle();
  }

  /** Has the next `next` list the whole project. */
  distrust(): void {
    this.isAstray = true;
    this.isWhole = true;
  }

  /** Watches the folders of a large project, unless they are watched. Pauses after some. */
  *follow(): Generator<void, void, void> {
    if (this.isFollowing) this.sort(this.watch.take());
    if (this.isFollowing && this.excludes !== this.readExcludes()) this.distrust();
    if (!this.isAstray || (!this.watch.isOn && !this.isWorthFollowing)) return;
    this.isAstray = false;
    this.isWhole = true;
    const output = gitOutput(this.root, this.environment, LIST_IGNORED_FOLDERS, WHOLE_PROJECT_MS);
    if (output === undefined) return this.watch.close();
    // It also names folders that only hold what is ignored, in which a file of the project can be made.
    const candidates = output.split('\0').flatMap((path) => (path.endsWith('/') ? path.slice(0, -1) : []));
    const ignored = this.findIgnored(candidates.slice(0, CANDIDATES_MAX));
    yield* this.watch.follow((folder) => ignored.has(folder));
  }

  /** Returns what may have changed since the last call, the whole project at first. Call `follow` before. */
  next(): Listing {
    if (this.isFollowing) this.sort(this.watch.take());
    const marks = this.readMarks();
    if (this.isFollowing && marks !== this.marks && this.readTrackedDigest() !== this.trackedDigest)
      this.isWhole = true;
    if (this.isFollowing) {
      const paths = [...this.pending];
      const list = paths.length === 0 ? EMPTY : this.files.listOnly(paths);
      if (list) {
        this.marks = marks;
        this.pending.clear();
        this.noteIgnored(paths, list);
        return { paths, list };
      }
    }
    return { paths: undefined, list: this.listWhole() };
  }

  /** Like `ProjectFiles.stillThere`. */
  stillThere(paths: readonly string[]): ListedFile[] {
    return this.files.stillThere(paths);
  }

  close(): void {
    this.watch.close();
  }

  private listWhole(): FileList {
    this.ignored.clear();
    this.pending.clear();
    this.watch.take();
    this.folder ??= findGitFolder(this.root, this.environment);
    this.marks = this.readMarks();
    this.excludes = this.readExcludes();
    if (this.watch.isOn) this.trackedDigest = this.readTrackedDigest();
    const list = this.files.list();
    this.size = list.files.length;
    this.isWhole = list.tracking !== 'git' || !this.watch.isOn;
    return list;
  }

  /** Keeps the reported paths that need to be looked at. */
  private sort(paths: readonly string[] | undefined): void {
    if (paths === undefined) {
      this.distrust();
      return;
    }
    const folders: string[] = [];
    for (const path of paths) {
      if (this.watch.isWatched(path) || basename(path) === '.gitignore' || path.includes('\ufffd')) this.distrust();
      else if (this.ignored.has(path)) continue;
      else if (look(join(this.root, path))?.isDirectory()) folders.push(path);
      else this.pending.add(path);
    }
    if (folders.length > 0 && !this.areIgnored(folders)) this.distrust();
    for (const folder of folders) this.ignore(folder);
  }

  private areIgnored(paths: readonly string[]): boolean {
    const ignored = this.findIgnored(paths);
    return paths.every((path) => ignored.has(path));
  }

  /** Returns those of `paths` that git ignores, except those whose names it would print in quotes. */
  private findIgnored(paths: readonly string[]): Set<string> {
    if (paths.length === 0) return new Set();
    const output = gitOutput(this.root, this.environment, [...CHECK_IGNORED, ...paths.map((path) => `./${path}`)]);
    return new Set((output ?? '').split('\n').map((path) => path.slice(2)));
  }

  private noteIgnored(paths: readonly string[], { files, skipped }: FileList): void {
    const listed = new Set([...files.map(({ path }) => path), ...skipped.keys()]);
    const unlisted = paths.filter((path) => !listed.has(path) && look(join(this.root, path))?.isFile());
    const ignored = this.findIgnored(unlisted);
    for (const path of unlisted) if (ignored.has(path)) this.ignore(path);
  }

  private ignore(path: string): void {
    if (this.ignored.size < IGNORED_MAX) this.ignored.add(path);
  }

  private readTrackedDigest(): string {
    return sha256Hex(gitOutput(this.root, this.environment, LIST_TRACKED, WHOLE_PROJECT_MS) ?? '');
  }

  private get isGitTouched(): boolean {
    return this.marks !== this.readMarks() || this.excludes !== this.readExcludes();
  }

  private readExcludes(): string {
    return this.folder ? computeSignature(join(this.folder.common, 'info/exclude')) : '';
  }

  /** A text that changes when git's index or the checked-out commit does. */
  private readMarks(): string {
    if (!this.folder) return '';
    const { own, common } = this.folder;
    const head = join(own, 'HEAD');
    const branch = /^ref: (refs\/[^\s]+)$/m.exec(readText(head))?.[1];
    const places = [
      join(own, 'index'),
      head,
      join(own, 'logs/HEAD'),
      join(common, 'packed-refs'),
      join(common, 'reftable/tables.list'),
      ...(branch === undefined ? [] : [join(common, branch)]),
    ];
    return places.map(computeSignature).join('\n');
  }
}

const EMPTY: FileList = { files: [], tracking: 'git', leftOut: 0, skipped: new Map(), submodules: [] };

function findGitFolder(root: string, environment: GitEnvironment): GitFolder | undefined {
  const output = gitOutput(root, environment, ['rev-parse', '--git-dir', '--git-common-dir']);
  const [own, common] = (output ?? '').split('\n');
  return own && common ? { own: resolve(root, own), common: resolve(root, common) } : undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function computeSignature(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}
