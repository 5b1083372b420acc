import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../lib/errors.js';
import { zeroSeparated } from '../git/git-output.js';
import type { GitRepository } from '../git/git-repository.js';

/** Git looks through all files of the worktree. */
const LIST_MS = 120_000;

const GONE = new Set<string | undefined>(['ENOENT', 'ENOTDIR']);

/** Whether a path was removed, or lies below a file. */
export const isGone = (error: unknown): boolean => GONE.has(systemCode(error));

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    (error) => !isGone(error),
  );

/**
 * Returns the repositories in the worktree at `path`, from its top and in order: submodules whose files are there, and
 * those that git does not track and does not ignore. Submodules of which only the commits are left in `gitFolder`, the
 * git folder of the worktree, are named by that folder. Git lists paths only: it looks into none of them, which would
 * be done by their own settings. Throws `internal`.
 */
export async function findRepositoriesBelow(there: GitRepository, path: string, gitFolder: string): Promise<string[]> {
  const options = { timeoutMs: LIST_MS };
  const [tracked, untracked] = await Promise.all([
    there.output(['ls-files', '-s', '-z'], options),
    there.output(['ls-files', '-z', '-o', '--exclude-standard'], options),
  ]);
  const links = zeroSeparated(tracked).filter((entry) => entry.startsWith('160000 '));
  const found = new Set<string>();
  for (const link of links.map((entry) => entry.slice(entry.indexOf('\t') + 1)))
    if (await isThere(join(path, link, '.git'))) found.add(link);
  // Git lists no folder but those of repositories.
  for (const file of zeroSeparated(untracked)) if (file.endsWith('/')) found.add(file.slice(0, -1));
  const modules = join(gitFolder, 'modules');
  if (found.size === 0 && (await readdir(modules).catch(() => [])).length > 0) found.add(modules);
  return [...found].sort();
}
