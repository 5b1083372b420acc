import type { GitRepository } from './git-repository.js';
import { isGitAtLeast } from './git-version.js';
import { DURABLE } from './snapshot.js';

const TIMEOUT_MS = 120_000;
/** Most commits that are applied one by one. */
const REBASED_MAX = 50;

/** Who makes a commit, as the user's configuration of git says. */
interface Identity {
  name: string;
  email: string;
}

/** The tree of a merge, or the files in which both sides changed the same places. */
type TreeMerge = { tree: string } | { conflicts: string[] };

const authored = ({ name, email }: Identity) => ({ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email });
const committed = ({ name, email }: Identity) => ({ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email });

/** Returns the identity of the user's configuration of git, with a name of the daemon's own where it has none. */
export function getIdentity({ user }: GitRepository): Identity {
  return { name: user.name || 'meshd', email: user.email || 'meshd@localhost' };
}

/** Whether the installed git can merge without files. */
export async function canMergeTrees(repository: GitRepository): Promise<boolean> {
  const { stdout } = await repository.run(['--version']);
  return isGitAtLeast(stdout, '2.38');
}

/** Creates a commit. No reference names it yet. Throws `internal`. */
export async function commitTree(
  repository: GitRepository,
  tree: string,
  parents: readonly string[],
  message: string,
  author: Identity & { date?: string },
  committer: Identity = author,
): Promise<string> {
  const args = [...DURABLE, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  const env = {
    ...{ ...authored(author), ...committed(committer) },
    ...(author.date === undefined ? {} : { GIT_AUTHOR_DATE: author.date }),
  };
  return (await repository.output(args, { input: message, env })).trim();
}

export async function treeOf(repository: GitRepository, commit: string): Promise<string> {
  return (await repository.output(['rev-parse', '--verify', `${commit}^{tree}`])).trim();
}

export async function isAncestor(repository: GitRepository, older: string, newer: string): Promise<boolean> {
  return (await repository.run(['merge-base', '--is-ancestor', older, newer])).code === 0;
}

/** Merges two commits without touching any file or reference. Throws `internal`, also without common history. */
export async function mergeTrees(repository: GitRepository, ours: string, theirs: string): Promise<TreeMerge> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const { code, stdout, stderr } = await repository.run([...DURABLE, ...args], { timeoutMs: TIMEOUT_MS });
  const [tree, ...paths] = stdout.split('\0') as [string, ...string[]];
  if (code === 0) return { tree };
  if (code === 1) return { conflicts: [...new Set(paths.filter((path) => path !== ''))].sort() };
  throw new Error(`git merge-tree failed: ${stderr.trim().split('\n').at(-1) || 'it was stopped'}`);
}

/** Applies what `commit` changed since its parent onto `onto`. */
async function applyCommit(repository: GitRepository, commit: string, onto: string): Promise<TreeMerge> {
  const nobody = { name: 'meshd', email: 'meshd@localhost' };
  // Commits that share the wanted base, since git 2.38 takes no other one.
  const base = await commitTree(repository, await treeOf(repository, `${commit}^`), [], 'base', nobody);
  const ours = await commitTree(repository, await treeOf(repository, onto), [base], 'ours', nobody);
  const theirs = await commitTree(repository, await treeOf(repository, commit), [base], 'theirs', nobody);
  return mergeTrees(repository, ours, theirs);
}

/**
 * Applies the commits of `tip` that `onto` lacks one by one, with their authors and messages. Returns the last commit,
 * `conflicts`, or why that is not possible. No reference names the new commits.
 */
export async function rebaseCommits(
  repository: GitRepository,
  onto: string,
  tip: string,
  committer: Identity,
): Promise<{ commit: string } | { conflicts: string[] } | { problem: string }> {
  const listed = await repository.output(['rev-list', '--reverse', '--topo-order', '--parents', `${onto}..${tip}`]);
  const commits = listed.split('\n').filter((line) => line !== '');
  if (commits.some((line) => line.split(' ').length !== 2)) return { problem: 'There are merges among the commits.' };
  if (commits.length > REBASED_MAX) return { problem: `There are more than ${REBASED_MAX} commits.` };
  let current = onto;
  for (const line of commits) {
    const [commit] = line.split(' ') as [string];
    const merged = await applyCommit(repository, commit, current);
    if ('conflicts' in merged) return merged;
    if (merged.tree === (await treeOf(repository, current))) continue;
    const shown = await repository.output(['show', '-s', '--no-show-signature', '--format=%an%n%ae%n%aI%n%B', commit]);
    const [name, email, date, ...message] = shown.split('\n') as [string, string, string, ...string[]];
    const author = { name, email, date };
    current = await commitTree(repository, merged.tree, [current], message.join('\n'), author, committer);
  }
  return { commit: current };
}
