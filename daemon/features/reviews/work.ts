import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitEnvironment } from '../../storage/git/git-command.js';
import { GitRepository } from '../../storage/git/git-repository.js';
import { isNeverCommitted, snapshotTree } from '../../storage/git/snapshot.js';
import { PATCH_OPTIONS, type PatchFile, readPatch } from './patch.js';

/** The folder of a conversation that has its own. `base` is the commit with which it began. */
export interface Worktree {
  path: string;
  base: string;
  base_branch: string;
  branch: string;
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

  /** Opens the repository at the folder of a conversation. Undefined when there is none. */
  open(conv: string): Promise<GitRepository | undefined> {
    const folder = this.parts.findWorktree(conv)?.path ?? this.parts.root;
    return GitRepository.open(folder, this.parts.environment);
  }

  /** Opens the repository of the project folder. */
  openProject(): Promise<GitRepository | undefined> {
    return GitRepository.open(this.parts.root, this.parts.environment);
  }

  /** Writes the files of a folder as a tree, without files that are never committed. */
  async snapshot(repository: GitRepository): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'meshd-index-'));
    try {
      const { tree } = await snapshotTree(repository, { index: join(folder, 'index'), leaveOut: isNeverCommitted });
      return tree;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The changes of a conversation since it began. `problem` says why there is nothing to compare. */
  async changes(conv: string): Promise<{ files: PatchFile[] } | { problem: string }> {
    const repository = await this.open(conv);
    if (!repository) return { problem: NO_GIT };
    const from = await this.start(conv, repository);
    const tree = await this.snapshot(repository);
    return { files: readPatch(await repository.output(['diff', ...PATCH_OPTIONS, from, tree])) };
  }

  /** The state from which a conversation's changes count. */
  private async start(conv: string, repository: GitRepository): Promise<string> {
    const worktree = this.parts.findWorktree(conv);
    if (worktree) {
      const found = await repository.run(['merge-base', 'HEAD', `refs/heads/${worktree.base_branch}`]);
      return found.code === 0 ? found.stdout.trim() : worktree.base;
    }
    for (const name of [`refs/meshd/${conv}/start`, 'HEAD']) {
      const found = await repository.run(['rev-parse', '--verify', '-q', `${name}^{commit}`]);
      if (found.code === 0) return found.stdout.trim();
    }
    return (await repository.output(['hash-object', '-t', 'tree', '-w', '--stdin'])).trim();
  }
}
