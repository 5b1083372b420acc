import { isInOrBelow } from '../../lib/text/path-pattern.js';
import type { GitEnvironment } from '../../storage/git/git-command.js';
import { GitRepository } from '../../storage/git/git-repository.js';
import { isNeverCommitted, snapshotTree } from '../../storage/git/snapshot.js';
import { withTemporaryIndex } from '../../storage/git/temporary-index.js';
import { PATCH_OPTIONS, type PatchFile, readPatch } from './patch.js';

/** The worktree of a conversation. `base` is the commit with which it began. */
export interface Worktree {
  /** The conversation that it belongs to, whose place others may share. */
  conv: string;
  /** Its top folder. */
  path: string;
  base: string;
  /** Null when it began at a commit without a branch. */
  base_branch: string | null;
  /** Null until something changed. */
  branch: string | null;
  /** What the operator put into it: neither these files nor those below them are changes. */
  provided: readonly string[];
}

interface WorkParts {
  root: string;
  environment: GitEnvironment;
  findWorktree: (conv: string) => Worktree | undefined;
}

const NO_GIT = 'The project is not in a git repository, or git is not installed.';

/** Reads what conversations changed, in worktrees of their own or in the project folder. */
export class Work {
  constructor(private readonly parts: WorkParts) {}

  findWorktree(conv: string): Worktree | undefined {
    return this.parts.findWorktree(conv);
  }

  /** Opens the repository at the top of a conversation's worktree, or at the project folder. Undefined without one. */
  open(conv: string): Promise<GitRepository | undefined> {
    const folder = this.parts.findWorktree(conv)?.path ?? this.parts.root;
    return GitRepository.open(folder, this.parts.environment);
  }

  /** Opens the repository at a folder. Undefined when there is none. */
  openAt(folder: string): Promise<GitRepository | undefined> {
    return GitRepository.open(folder, this.parts.environment);
  }

  /** Writes the files of a conversation's folder as a tree, without files that are never committed. */
  async snapshot(conv: string, repository: GitRepository): Promise<string> {
    const provided = this.parts.findWorktree(conv)?.provided ?? [];
    const leaveOut = (path: string) => isNeverCommitted(path) || isInOrBelow(path, provided);
    return withTemporaryIndex(async (index) => (await snapshotTree(repository, { index, leaveOut })).tree);
  }

  /** The changes of a conversation since it began. `problem` says why there is nothing to compare. */
  async changes(conv: string): Promise<{ files: PatchFile[] } | { problem: string }> {
    const repository = await this.open(conv);
    if (!repository) return { problem: NO_GIT };
    const from = await this.start(conv, repository);
    const tree = await this.snapshot(conv, repository);
    return { files: readPatch(await repository.output(['diff', ...PATCH_OPTIONS, from, tree])) };
  }

  /** The state from which a conversation's changes count. */
  private async start(conv: string, repository: GitRepository): Promise<string> {
    const worktree = this.parts.findWorktree(conv);
    if (worktree) {
      const { base_branch, base } = worktree;
      if (base_branch === null) return base;
      const found = await repository.run(['merge-base', 'HEAD', `refs/heads/${base_branch}`]);
      return found.code === 0 ? found.stdout.trim() : base;
    }
    for (const name of [`refs/meshd/${conv}/start`, 'HEAD']) {
      const found = await repository.run(['rev-parse', '--verify', '-q', `${name}^{commit}`]);
      if (found.code === 0) return found.stdout.trim();
    }
    return (await repository.output(['hash-object', '-t', 'tree', '-w', '--stdin'])).trim();
  }
}
