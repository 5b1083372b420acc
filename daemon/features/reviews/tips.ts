import type { GitRepository } from '../../storage/git/git-repository.js';
import { commitTree, getIdentity, treeOf } from '../../storage/git/merge-commits.js';
import type { Work } from './work.js';

const SUBJECTS_MAX = 20;

/** What a worktree's files are now, as a commit: its HEAD, or a commit on top of it. */
export interface Tip {
  commit: string;
  head: string;
  /** First lines of the agent's own commits, newest first. */
  subjects: string[];
  /** Changed files that it lacks, because the repository's own filter of them is not run. */
  unfiltered: string[];
}

/** Makes the tip of a conversation's worktree. No reference names a new commit. */
export async function findTip(work: Work, conv: string, repository: GitRepository, title: string): Promise<Tip> {
  const head = (await repository.output(['rev-parse', '--verify', 'HEAD'])).trim();
  const { tree, unfiltered } = await work.snapshot(conv, repository);
  const base = work.findWorktree(conv)?.base;
  const log = ['log', '--no-show-signature', `--max-count=${SUBJECTS_MAX}`, '--format=- %s'];
  const own = base === undefined ? undefined : await repository.run([...log, `${base}..${head}`]);
  const subjects = own?.code === 0 ? own.stdout.split('\n').filter((line) => line !== '') : [];
  if (tree === (await treeOf(repository, head))) return { commit: head, head, subjects, unfiltered };
  const message = title.replace(/\s+/g, ' ').trim();
  const commit = await commitTree(repository, tree, [head], message, getIdentity(repository));
  return { commit, head, subjects, unfiltered };
}
