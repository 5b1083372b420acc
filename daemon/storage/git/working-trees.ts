import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInOrBelow } from '../../lib/text/path-pattern.js';
import type { GitEnvironment } from './git-command.js';
import { GitRepository } from './git-repository.js';
import { findGitProblem } from './git-version.js';
import { isNeverCommitted, snapshotTree } from './snapshot.js';

const FOLDER_MODE = 0o700;

/** A working folder's files at one point in time, as a tree of its repository. */
export interface WorkingTree {
  repository: GitRepository;
  tree: string;
  /** Paths that the tree lacks, or has as the last commit does, each with what identifies its state on the disk. */
  leftOut: Map<string, string>;
}

interface KeptIndex {
  /** Identifies the repository's own index from which it was made; undefined when there was none. */
  stamp: string | undefined;
  path: string;
  /** The tree of the last snapshot. */
  tree?: string;
}

/**
 * Takes snapshots of working folders through temporary indexes in a folder of meshd. An index is used again until the
 * repository's own one changes, so that only changed files are read. The caller must take the snapshots of one folder
 * one after another.
 */
export class WorkingTrees {
  /** The indexes of this process by working folder. A git that outlives the daemon never writes to them. */
  private readonly indexes = new Map<string, KeptIndex>();
  private readonly process = randomBytes(6).toString('hex');
  private count = 0;

  constructor(
    /** Folder for the indexes; it must be used for nothing else. */
    readonly folder: string,
    private readonly environment: GitEnvironment,
    /** Paths within a working folder that are not the agent's: neither these nor what is below them is taken. */
    private readonly providedIn: (folder: string) => readonly string[] = () => [],
  ) {}

  /** Removes what an earlier process left behind. */
  async clear(): Promise<void> {
    const names = await readdir(this.folder).catch((): string[] => []);
    for (const name of names.filter((one) => !one.startsWith(this.process)))
      await rm(join(this.folder, name), { recursive: true, force: true });
  }

  /** Opens the repository of a working folder; undefined when it is not in a working tree of git. */
  open(folder: string): Promise<GitRepository | undefined> {
    return GitRepository.open(folder, this.environment);
  }

  /** Returns a path in the folder that nothing uses. */
  newPath(ending: string): string {
    this.count += 1;
    return join(this.folder, `${this.process}-${this.count}${ending}`);
  }

  /** Returns why the folder has no repository that can be opened. */
  async findProblem(folder: string): Promise<string> {
    const problem = await findGitProblem(folder, this.environment);
    return problem === undefined
      ? 'The folder is not in a working tree of git: run `git init` in it to keep checkpoints of its files.'
      : `${problem}: checkpoints need it.`;
  }

  /**
   * Takes a snapshot. Undefined when the folder is not in a working tree of git. `kept`: a tree that a reference keeps,
   * which is quicker to see unchanged. Throws `internal`.
   */
  async take(folder: string, kept?: string): Promise<WorkingTree | undefined> {
    const repository = await this.open(folder);
    return repository && this.takeOpened(repository, kept);
  }

  /** Takes a snapshot of the folder of an opened repository. Throws `internal`. */
  async takeOpened(repository: GitRepository, kept?: string): Promise<WorkingTree> {
    const { folder } = repository;
    const index = await this.keptIndex(repository);
    const last = index.tree === kept ? kept : undefined;
    const provided = this.providedIn(folder);
    const leaveOut = (path: string) => isNeverCommitted(path) || isInOrBelow(path, provided);
    try {
      const { tree, leftOut } = await snapshotTree(repository, { index: index.path, leaveOut, last });
      index.tree = tree;
      const stamps = leftOut.map(async (path): Promise<[string, string]> => [path, await readStamp(folder, path)]);
      return { repository, tree, leftOut: new Map(await Promise.all(stamps)) };
    } catch (error) {
      // A git that was stopped may have left the index locked.
      this.indexes.delete(folder);
      throw error;
    }
  }

  /** Returns the temporary index of a folder's last snapshot, which another command may copy. */
  async indexFor(repository: GitRepository): Promise<string> {
    return (await this.keptIndex(repository)).path;
  }

  private async keptIndex(repository: GitRepository): Promise<KeptIndex> {
    const { folder } = repository;
    const facts = await stat((await repository.findPlace()).index, { bigint: true }).catch(() => undefined);
    const stamp = facts && [facts.dev, facts.ino, facts.size, facts.mtimeNs].join();
    const known = this.indexes.get(folder);
    if (known && known.stamp === stamp) return known;
    await mkdir(this.folder, { recursive: true, mode: FOLDER_MODE });
    if (known) await rm(known.path, { force: true });
    const made: KeptIndex = { stamp, path: this.newPath('.index') };
    this.indexes.set(folder, made);
    return made;
  }
}

async function readStamp(folder: string, path: string): Promise<string> {
  const facts = await lstat(join(folder, path)).catch(() => undefined);
  return facts ? [facts.ino, facts.size, facts.mtimeMs].join(' ') : '';
}
