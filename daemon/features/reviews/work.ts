import { isInOrBelow } from '../../lib/text/path-pattern.js';
import type { GitEnvironment } from '../../storage/git/git-command.js';
import { GitRepository } from '../../storage/git/git-repository.js';
import { isNeverCommitted, snapshotTree } from '../../storage/git/snapshot.js';
import { withTemporaryIndex } from '../../storage/git/temporary-index.js';

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

/** Opens what conversations changed, in worktrees of their own or in the project folder, for merging. */
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

  /**
   * Writes the files of a conversation's folder as a tree, without files that are never committed, and without those
   * whose filter is not run: they are `unfiltered`.
   */
  async snapshot(conv: string, repository: GitRepository): Promise<{ tree: string; unfiltered: string[] }> {
    const provided = this.parts.findWorktree(conv)?.provided ?? [];
    const leaveOut = (path: string) => isNeverCommitted(path) || isInOrBelow(path, provided);
    return withTemporaryIndex((index) => snapshotTree(repository, { index, leaveOut }));
  }
}
