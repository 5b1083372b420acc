import type { GitRepository } from '../../storage/git/git-repository.js';
import { isAncestor, treeOf } from '../../storage/git/merge-commits.js';
import type { CheckpointRow } from './checkpoints-store.js';

/** The commit at which a conversation's worktree began or was last merged, and the branch that it began at. */
export interface WorktreeBase {
  base: string;
  base_branch: string | null;
}

/**
 * Returns the tree from which the changes of a conversation count: its files before the first turn that changed one, or
 * the newest commit that its worktree has of the branch it began at. What was merged since is then no change of it.
 */
export async function findBeginning(
  repository: GitRepository,
  start: CheckpointRow,
  worktree: WorktreeBase | undefined,
): Promise<string> {
  if (!worktree) return start.tree;
  const { base, base_branch } = worktree;
  const [before, shared] = await Promise.all([
    repository.run(['rev-parse', '--verify', '-q', `${start.commit_id}^`]),
    base_branch === null ? undefined : repository.run(['merge-base', 'HEAD', `refs/heads/${base_branch}`]),
  ]);
  const [first, merged] = [before.stdout.trim(), shared?.code === 0 ? shared.stdout.trim() : base];
  const newest = merged === base || (await isAncestor(repository, base, merged)) ? merged : base;
  if (newest === first || !(await isAncestor(repository, first, newest))) return start.tree;
  return treeOf(repository, newest);
}
