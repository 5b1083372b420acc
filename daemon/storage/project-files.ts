import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type GitEnvironment, gitOutput, WHOLE_PROJECT_MS } from './git/git-command.js';
import { LIST_FILES, listedPaths, sparsePaths, type Tracking, trackingWithoutList } from './git/tracked-files.js';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export const FILE_MAX_BYTES = 1024 * 1024;
const FILES_MAX = 1_000_000;
const DEPTH_MAX = 32;

/**
 * On Linux the native implementation is the faster one. On other systems it can return a path in another letter
 * case than the requested one.
 */
const realPath = process.platform === 'linux' ? realpathSync.native : realpathSync;

/** Folders of third-party or generated files, left out where git does not tell which files belong to the project. */
const NOT_OURS = new Set(
  (
    'node_modules bower_components jspm_packages .git .hg .svn dist build out vendor target .venv venv env ' +
    '__pycache__ .tox .nox ' +
    '.mypy_cache .pytest_cache .ruff_cache .gradle .idea .vscode .next .nuxt .svelte-kit .turbo .cache ' +
    '.parcel-cache coverage ' +
    '.nyc_output .terraform Pods DerivedData .dart_tool elm-stuff _build deps .stack-work'
  ).split(' '),
);
/** The subset that is never source, even where git tracks it. */
const NEVER_OURS = new Set(['node_modules', 'bower_components', '.git', '.venv', '__pycache__']);

/** What stands in a decoded name for each byte that is not UTF-8. */
const NOT_UTF8 = '\ufffd';

export interface ListedFile {
  path: string;
  size: number;
  mtimeMs: number;
  /** Whether the file is one of the project's own; see `Tracking`. */
  tracked: boolean;
}

export interface FileList {
  files: ListedFile[];
  tracking: Tracking;
  /** The number of files beyond the limit of the index. */
  leftOut: number;
  /**
   * Files beyond the limit of the index, above 1 MiB, that a sparse checkout does not have, or whose name is not UTF-8
   * or holds a control character or a backslash, and submodules, each with whether git tracks it.
   */
  skipped: ReadonlyMap<string, boolean>;
  /** The folders of submodules, whose files git does not list. */
  submodules: readonly string[];
}

/**
 * The text files of the project. Reading never leaves the project: symbolic links are not followed, only regular files
 * are read, and `mayRead` decides by path which files are considered at all. Paths are relative, with `/`.
 */
export class ProjectFiles {
  private readonly root: string;

  constructor(
    root: string,
    private readonly environment: GitEnvironment,
    private readonly mayRead: (path: string) => boolean,
  ) {
    this.root = realPath(root);
  }

  /**
   * Returns the regular files of up to 1 MiB that git tracks or does not ignore, or of the whole tree when
   * there is no git; sorted by path.
   */
  list(): FileList {
    const output = gitOutput(this.root, this.environment, LIST_FILES, WHOLE_PROJECT_MS);
    const tracking = output === undefined ? trackingWithoutList(this.root) : 'git';
    if (output === undefined) return this.examine(this.walk(tracking === 'none'), tracking);
    return this.examine(listedPaths(output), tracking, sparsePaths(output));
  }

  /** Returns those of `paths` that `list` would return, or undefined when git cannot tell. */
  listOnly(paths: readonly string[]): FileList | undefined {
    const output = gitOutput(this.root, this.environment, [...LIST_FILES, '--', ...paths], WHOLE_PROJECT_MS);
    return output === undefined ? undefined : this.examine(listedPaths(output), 'git', sparsePaths(output));
  }

  /** Returns those of `paths` that are still files of up to 1 MiB, without asking git. All count as tracked. */
  stillThere(paths: readonly string[]): ListedFile[] {
    return this.examine(new Map(paths.map((path) => [path, true])), 'unknown').files;
  }

  private examine(
    paths: ReadonlyMap<string, boolean>,
    tracking: Tracking,
    sparse: ReadonlySet<string> = new Set(),
  ): FileList {
    const wanted = [...paths.keys()]
      .filter((path) => !hasFolder(path, NEVER_OURS) && this.mayRead(path))
      .sort(byCodeUnits);
    const readable = wanted.filter(isPlainPath);
    const inside = new Map<string, boolean>();
    const files: ListedFile[] = [];
    const submodules: string[] = [];
    const skipped = new Map<string, boolean>();
    const skip = (path: string) => skipped.set(path, paths.get(path) === true);
    wanted.filter((path) => !isPlainPath(path)).forEach(skip);
    readable.slice(FILES_MAX).forEach(skip);
    for (const path of readable.slice(0, FILES_MAX)) {
      const stat = lstatSync(join(this.root, path), { throwIfNoEntry: false });
      const isAway = stat === undefined && (path.includes(NOT_UTF8) || sparse.has(path));
      if (isAway || (stat?.isFile() && stat.size > FILE_MAX_BYTES)) skip(path);
      if (stat?.isDirectory() && paths.get(path) === true && this.isSubmodule(path)) {
        skip(path);
        submodules.push(path);
      }
      if (!stat?.isFile() || stat.size > FILE_MAX_BYTES || stat.size === 0) continue;
      const folder = getFolder(path);
      let isInside = inside.get(folder);
      if (isInside === undefined) {
        isInside = this.isInside(folder);
        inside.set(folder, isInside);
      }
      const tracked = paths.get(path) === true;
      if (isInside) files.push({ path, size: stat.size, mtimeMs: stat.mtimeMs, tracked });
    }
    return { files, tracking, leftOut: Math.max(0, readable.length - FILES_MAX), skipped, submodules };
  }

  /**
   * Returns the content of `path`, or undefined when the file is missing, too large, not regular, outside
   * the project, or not readable. `maxBytes` is for the few files that no person reads.
   */
  read(path: string, maxBytes = FILE_MAX_BYTES): { bytes: Buffer; size: number; mtimeMs: number } | undefined {
    if (!isPlainPath(path) || hasFolder(path, NEVER_OURS) || !this.mayRead(path) || !this.isInside(getFolder(path)))
      return undefined;
    let file: number | undefined;
    try {
      // Non-blocking: opening a FIFO without a writer would otherwise block forever.
      file = openSync(join(this.root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.size > maxBytes || !this.isSame(path, stat.ino, stat.dev)) return undefined;
      const bytes = Buffer.allocUnsafe(stat.size);
      let length = 0;
      while (length < bytes.length) {
        const count = readSync(file, bytes, length, bytes.length - length, length);
        if (count === 0) break;
        length += count;
      }
      return { bytes: bytes.subarray(0, length), size: stat.size, mtimeMs: stat.mtimeMs };
    } catch {
      // Missing, a link, or not permitted: for the index it does not exist.
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /** Returns what changes when a file of the root is written; undefined when it is not there. */
  stampOf(name: string): string | undefined {
    const stat = lstatSync(join(this.root, name), { throwIfNoEntry: false });
    return stat?.isFile() ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : undefined;
  }

  /** Reports whether a folder at which git tracks something is a submodule: checked out, or empty as git leaves it. */
  private isSubmodule(path: string): boolean {
    const names = this.entries(path).map(({ name }) => name);
    return names.length === 0 || names.includes('.git');
  }

  /** Reports whether no folder on the way is a link: the real path must equal the requested one. */
  private isInside(folder: string): boolean {
    try {
      const wanted = folder === '' ? this.root : join(this.root, folder);
      return realPath(wanted) === wanted;
    } catch {
      return false;
    }
  }

  /**
   * Reports whether the opened file is the one at the path. Checked after opening, so that a folder replaced by a
   * link in between is detected.
   */
  private isSame(path: string, ino: number, dev: number): boolean {
    const stat = lstatSync(join(this.root, path), { throwIfNoEntry: false });
    return stat !== undefined && stat.ino === ino && stat.dev === dev && this.isInside(getFolder(path));
  }

  private walk(tracked: boolean): Map<string, boolean> {
    const found = new Map<string, boolean>();
    const folders: { path: string; depth: number }[] = [{ path: '', depth: 0 }];
    for (let folder = folders.pop(); folder !== undefined && found.size <= FILES_MAX; folder = folders.pop()) {
      for (const entry of this.entries(folder.path)) {
        const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
        if (entry.isFile()) found.set(path, tracked);
        else if (entry.isDirectory() && !NOT_OURS.has(entry.name) && folder.depth < DEPTH_MAX)
          folders.push({ path, depth: folder.depth + 1 });
      }
    }
    return found;
  }

  private entries(folder: string) {
    try {
      return readdirSync(join(this.root, folder), { withFileTypes: true });
    } catch {
      // A folder that cannot be read counts as empty.
      return [];
    }
  }
}

/**
 * Reports whether a relative path names exactly one place: no `..`, no empty part, no backslash or control character.
 */
function isPlainPath(path: string): boolean {
  if (path === '' || path.length > 1_024 || path.startsWith('/')) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\\\u0000-\u001f\u007f]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

const getFolder = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const hasFolder = (path: string, names: ReadonlySet<string>) => path.split('/').some((part) => names.has(part));
const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
