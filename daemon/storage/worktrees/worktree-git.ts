import { lstat, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MeshError } from '../../lib/errors.js';
import { isSecretPath } from '../../lib/secrets/secret-names.js';
import { isInOrBelow } from '../../lib/text/path-pattern.js';
import { atomicWrite } from '../files/atomic-write.js';
import { followedPath } from '../files/followed-path.js';
import { type GitEnvironment, type GitRunOptions, WHOLE_PROJECT_MS } from '../git/git-command.js';
import { parseWorktreePaths, zeroSeparated } from '../git/git-output.js';
import { GitRepository } from '../git/git-repository.js';
import { parseStatus, STATUS } from '../git/git-status.js';
import { named } from '../git/place-update.js';
import { canRead, sortByPresence } from '../git/snapshot.js';
import { findUnderWay } from '../git/unfinished.js';
import { findRepositoriesBelow, isGone } from './repositories-below.js';

/** A check-out of a large repository may take minutes. */
const CHECKOUT_MS = 10 * 60_000;
const BRANCHES = 'refs/heads/';
const KEPT = 'refs/meshd/kept/';
/** Other names of branches, which an agent may choose, are not taken up. */
const PLAIN_BRANCH = /^(?!refs\/)[\w./-]{1,200}$/;

/** A `.git` file holds one path. */
const GIT_FILE_MAX_BYTES = 8192;

/** How a worktree differs from the commit at which it began. */
export interface WorktreeChanges {
  /** The files that differ, committed or not. */
  files: string[];
  /** The commit of its HEAD. */
  head: string;
  /** The branch of its HEAD; null when it is detached. */
  branch: string | null;
}

/**
 * The path of a worktree without links above it. The folder itself may be gone, or be a link to a worktree of the user,
 * which is not followed.
 */
function placeOf(path: string): string {
  const folder = dirname(path);
  return join(followedPath(folder) ?? folder, basename(path));
}

/** Whether the folder that the `.git` file of the worktree at `path` names is gone, or is `admin` itself. */
async function isLeft(path: string, admin: string): Promise<boolean> {
  const file = join(path, '.git');
  const facts = await lstat(file).catch(() => undefined);
  if (!facts?.isFile() || facts.size > GIT_FILE_MAX_BYTES) return false;
  const named = /^gitdir: (.+)\n*$/.exec(await readFile(file, 'utf8'))?.[1];
  if (named === undefined) return false;
  const target = resolve(await realpath(path), named);
  return placeOf(target) === placeOf(admin) || lstat(target).then(() => false, isGone);
}

/** Sets git to take up what is outside of a sparse check-out too, and to believe the marks of `hide`. */
const WHOLE = ['-c', 'core.sparseCheckout=false'];

/** Hides paths of an index: `git add` takes them up neither as changed nor as removed. */
async function hide(there: GitRepository, options: GitRunOptions, paths: Iterable<string>): Promise<void> {
  const input = Array.from(paths, (path) => `${path}\0`).join('');
  if (input === '') return;
  await there.output([...WHOLE, 'update-index', '--skip-worktree', '-z', '--stdin'], { ...options, input });
}

/**
 * Hides in an index what a sparse check-out leaves out, which would count as removed otherwise. Only the worktree's own
 * index says what that is; a file that is there in spite of its mark is not left out. Returns the paths.
 */
async function hideLeftOut(there: GitRepository, path: string, options: GitRunOptions): Promise<Set<string>> {
  const own = zeroSeparated(await there.output([...WHOLE, 'ls-files', '-t', '-z'], { timeoutMs: CHECKOUT_MS }));
  const marked = own.filter((line) => line.startsWith('S ')).map((line) => line.slice(2));
  if (marked.length === 0) return new Set();
  const listed = new Set(zeroSeparated(await there.output([...WHOLE, 'ls-files', '-z'], options)));
  const { gone } = await sortByPresence(path, marked);
  const leftOut = new Set(gone.filter((file) => listed.has(file)));
  await hide(there, options, leftOut);
  return leftOut;
}

/**
 * Takes up the commits of repositories below into an index, except those `leftOut`, and hides them there: `git add` has
 * no option against looking at their files, which git does by their own settings.
 */
async function hideRepositories(
  there: GitRepository,
  options: GitRunOptions,
  leftOut: ReadonlySet<string>,
): Promise<void> {
  const find = async () => {
    const entries = zeroSeparated(await there.output([...WHOLE, 'ls-files', '-s', '-z'], options));
    const links = entries.filter((entry) => entry.startsWith('160000 '));
    return links.map((entry) => entry.slice(entry.indexOf('\t') + 1)).filter((path) => !leftOut.has(path));
  };
  const input = (await find()).map((path) => `${path}\0`).join('');
  if (input === '') return;
  await there.output([...WHOLE, 'update-index', '--remove', '-z', '--stdin'], { ...options, input });
  await hide(there, options, await find());
}

/**
 * Adds all files of the worktree at `path` to an index, except those that `isReadable` refuses and repositories without
 * a commit: what is returned names them. Throws `internal` when any other file could not be added, as on a full disk:
 * the worktree may be removed next.
 */
async function addAll(
  there: GitRepository,
  path: string,
  options: GitRunOptions,
  isReadable: typeof canRead,
): Promise<string> {
  // Git ends at a path, also at `.`, below which all is hidden.
  const { code, stderr } = await there.run([...WHOLE, 'add', '--all', '--ignore-errors'], options);
  if (code === 0) return '';
  const [changed, untracked] = [
    await there.output(['diff-files', '-z', '--name-only', '--no-renames', '--ignore-submodules=dirty'], options),
    await there.output(['ls-files', '-z', '-o', '--exclude-standard'], options),
  ];
  const missing = zeroSeparated(changed + untracked);
  const repositories = missing.filter((file) => file.endsWith('/'));
  const refused: string[] = [];
  for (const file of missing) if (!(file.endsWith('/') || (await isReadable(join(path, file))))) refused.push(file);
  if (code !== 1 || missing.length === 0 || repositories.length + refused.length < missing.length)
    throw new MeshError('internal', `The files of ${path} could not be kept: ${stderr.trim().split('\n').at(-1)}`);
  const notKept = (why: string, files: string[]) =>
    files.length === 0 ? '' : `\n\nNot kept, because they ${why}: ${named(files)}`;
  return notKept('cannot be read', refused) + notKept('are repositories without a commit', repositories);
}

/** The git commands about the worktrees of one repository. None runs a program that the repository names. */
export class WorktreeGit {
  private constructor(
    private readonly repository: GitRepository,
    /** The git folder that all worktrees share. */
    private readonly commonFolder: string,
  ) {}

  /** Throws `internal` when the project is in no repository. */
  static async open(root: string, environment: GitEnvironment): Promise<WorktreeGit> {
    const repository = await GitRepository.open(root, environment);
    if (!repository) throw new MeshError('internal', 'The project is not in a git repository.');
    return new WorktreeGit(repository, (await repository.findPlace()).commonFolder);
  }

  /** Makes a worktree at `path`, whose HEAD is detached at `commit`. */
  async add(path: string, commit: string): Promise<void> {
    const args = ['worktree', 'add', '--detach', '--force', path, commit];
    await this.repository.output(args, { timeoutMs: CHECKOUT_MS });
  }

  /** Removes what git keeps about the worktree at `path`, with its files when they are there. */
  async remove(path: string): Promise<void> {
    // `git worktree remove` follows a link at `path`, so it could remove a worktree of the user.
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    const admin = await this.findAdmin(path);
    if (admin !== undefined) await rm(admin, { recursive: true, force: true, maxRetries: 3 });
  }

  /**
   * Moves the worktree at `from` to `to`, whose parent exists, once the repository itself was moved. Returns false and
   * changes nothing unless this repository knows the worktree and the folder that its `.git` file names is gone: one
   * that is there belongs to the repository of which this one is a copy. An interrupted move may be repeated.
   */
  async moveAlong(from: string, to: string): Promise<boolean> {
    const moving = await this.findAdmin(to);
    const admin = moving ?? (await this.findAdmin(from));
    if (admin === undefined) return false;
    const [old, present] = await Promise.all([from, to].map((path) => realpath(path).catch(() => undefined)));
    if (present !== undefined) return old === undefined ? moving !== undefined : old === present;
    if (!(await isLeft(from, admin))) return false;
    // `git worktree repair` would also take over worktrees of the user, at other places.
    await atomicWrite(join(from, '.git'), `gitdir: ${admin}\n`, 'usual');
    await atomicWrite(join(admin, 'gitdir'), `${join(placeOf(to), '.git')}\n`, 'usual');
    await rename(from, to);
    return true;
  }

  /** Whether git knows a worktree at `path`, with or without its folder. */
  async knows(path: string): Promise<boolean> {
    return (await this.findAdmin(path)) !== undefined;
  }

  /** Returns the paths of the worktrees below `folder`, written as it is, also of those whose folder is gone. */
  async listBelow(folder: string): Promise<string[]> {
    const above = `${followedPath(folder) ?? folder}/`;
    const paths = (await this.listPaths()).map(placeOf).filter((path) => path.startsWith(above));
    return paths.map((path) => join(folder, path.slice(above.length)));
  }

  /** Returns the paths of all worktrees that git knows, also of those whose folder is gone. */
  async listPaths(): Promise<string[]> {
    const paths = parseWorktreePaths(await this.repository.output(['worktree', 'list', '--porcelain']));
    return paths.map((path) => resolve(path));
  }

  /** Whether the repository has the commit. */
  async hasCommit(commit: string): Promise<boolean> {
    return (await this.repository.run(['cat-file', '-e', `${commit}^{commit}`])).code === 0;
  }

  /** Returns the commit of a branch, or undefined. */
  async findBranch(branch: string): Promise<string | undefined> {
    const found = await this.repository.run(['rev-parse', '--verify', '--quiet', `${BRANCHES}${branch}^{commit}`]);
    return found.code === 0 ? found.stdout.trim() : undefined;
  }

  /** Compares the worktree at `path` with `base`. Files in or below `provided` do not count. */
  async changes(path: string, base: string, provided: readonly string[]): Promise<WorktreeChanges> {
    const there = await this.open(path);
    const args = [...STATUS, '--untracked-files=all'];
    const { commit, branch, changes } = parseStatus(await there.output(args, { timeoutMs: WHOLE_PROJECT_MS }));
    if (commit === null) throw new MeshError('internal', `The worktree ${path} has no commit.`);
    const committed =
      commit === base ? '' : await there.output(['diff', '--name-only', '--no-renames', '-z', base, commit]);
    const isOwn = (file: string) => !isInOrBelow(file, provided);
    const files = new Set([...zeroSeparated(committed), ...changes.map((change) => change.path).filter(isOwn)]);
    return { files: [...files].sort(), head: commit, branch: branch?.match(PLAIN_BRANCH)?.[0] ?? null };
  }

  /** Whether an operation of git, such as a rebase, waits in the worktree at `path`: it moves HEAD when it ends. */
  async isUnderWay(path: string): Promise<boolean> {
    const admin = await this.findAdmin(path);
    return admin !== undefined && (await findUnderWay(admin)) !== undefined;
  }

  /**
   * Returns the repositories in the worktree at `path` that `keep` does not keep: of a submodule or another repository
   * below, it keeps no file, and no more than the name of a commit. Those in or below `provided` do not count. Throws
   * `internal`.
   */
  async findRepositories(path: string, provided: readonly string[]): Promise<string[]> {
    const admin = await this.requireAdmin(path);
    const found = await findRepositoriesBelow(await this.repository.atWorktree(path, admin), path, admin);
    return found.filter((folder) => !isInOrBelow(folder, provided));
  }

  /**
   * Puts the worktree's HEAD on `branch`, which is made at its commit. Files and index are not touched. Returns false
   * when the branch cannot be made, for example because another of its name exists.
   */
  async attach(path: string, branch: string, commit: string): Promise<boolean> {
    const there = await this.open(path);
    const made = await there.run(['update-ref', `${BRANCHES}${branch}`, commit, '0'.repeat(commit.length)]);
    if (made.code !== 0) return false;
    return (await there.run(['symbolic-ref', '-m', 'meshd: first change', 'HEAD', `${BRANCHES}${branch}`])).code === 0;
  }

  /** Whether a branch other than `branch`, a tag or a kept ref has the commit. Throws `internal`. */
  async isHeldElsewhere(commit: string, branch: string): Promise<boolean> {
    const places = [BRANCHES, 'refs/remotes/', 'refs/tags/', KEPT];
    const args = ['for-each-ref', '--format=%(refname)', '--count=2', `--contains=${commit}`, ...places];
    const refs = (await this.repository.output(args, { timeoutMs: WHOLE_PROJECT_MS })).trim().split('\n');
    return refs.some((ref) => ref !== '' && ref !== `${BRANCHES}${branch}`);
  }

  /** Removes a branch that is still at `commit`. */
  async dropBranch(branch: string, commit: string): Promise<void> {
    await this.repository.run(['update-ref', '-d', `${BRANCHES}${branch}`, commit]);
  }

  /**
   * Keeps the files of the worktree at `path` as a commit on `ref`, on top of its HEAD: untracked files included, but
   * neither `provided` ones nor untracked ones with a secret's name. What a sparse check-out leaves out is as HEAD has
   * it; so are files that `isReadable` refuses. The commit's message names these, and repositories without a commit,
   * which are not kept. Neither HEAD nor its index changes. Throws `internal`.
   */
  async keep(
    path: string,
    ref: string,
    provided: readonly string[],
    message: string,
    isReadable = canRead,
  ): Promise<string> {
    const there = await this.open(path);
    const index = (
      await there.output(['rev-parse', '--path-format=absolute', '--git-path', 'meshd-keep.index'])
    ).trim();
    const env = { GIT_INDEX_FILE: index };
    const options = { env, timeoutMs: CHECKOUT_MS };
    try {
      await there.output(['read-tree', 'HEAD'], options);
      const leftOut = await hideLeftOut(there, path, options);
      await hideRepositories(there, options, leftOut);
      const refused = await addAll(there, path, options, isReadable);
      const added = zeroSeparated(
        await there.output(['diff-index', '--cached', '--name-only', '--diff-filter=A', '-z', 'HEAD'], options),
      );
      const left = added.filter((file) => isSecretPath(file) || isInOrBelow(file, provided));
      const input = left.map((file) => `${file}\0`).join('');
      await there.output(['update-index', '--force-remove', '-z', '--stdin'], { ...options, input });
      const tree = (await there.output(['write-tree'], options)).trim();
      const commit = (await there.output(['commit-tree', tree, '-p', 'HEAD', '-m', message + refused])).trim();
      await there.output(['update-ref', ref, commit]);
      return commit;
    } finally {
      await rm(index, { force: true });
      await rm(`${index}.lock`, { force: true });
    }
  }

  /** Returns the folder of what git keeps about the worktree at `path`, or undefined. */
  private async findAdmin(path: string): Promise<string | undefined> {
    const folder = await realpath(join(this.commonFolder, 'worktrees')).catch(() => undefined);
    if (folder === undefined) return undefined;
    const names = await readdir(folder).catch(() => []);
    const place = placeOf(path);
    const isIt = async (name: string) => {
      const text = (await readFile(join(folder, name, 'gitdir'), 'utf8').catch(() => '')).trim();
      // A relative one counts from the folder that it is in.
      return basename(text) === '.git' && placeOf(dirname(resolve(folder, name, text))) === place;
    };
    let found: string | undefined;
    for (const name of names) if (await isIt(name)) found = join(folder, name);
    return found;
  }

  /**
   * Opens the worktree at `path` by what git keeps about it, with its settings as they are now. Its own `.git` file is
   * not read: an agent may have made it name the user's repository.
   */
  private async open(path: string): Promise<GitRepository> {
    return this.repository.atWorktree(path, await this.requireAdmin(path));
  }

  private async requireAdmin(path: string): Promise<string> {
    const found = await this.findAdmin(path);
    if (found === undefined) throw new MeshError('internal', `Git does not know the worktree ${path}.`);
    return found;
  }
}
