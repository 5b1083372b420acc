import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitRepository } from './git-repository.js';

/** What stands in the git folder of a working tree while an operation waits for its user. */
const UNDER_WAY: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Returns the operation that waits for its user in the working tree whose git folder is `gitFolder`. */
export async function findUnderWay(gitFolder: string): Promise<string | undefined> {
  for (const [name, operation] of UNDER_WAY) if (await isThere(join(gitFolder, name))) return operation;
  return undefined;
}

/**
 * Returns what waits for the user of a working tree, opened at its top, as the beginning of a sentence: its files are not
 * what they will be. Undefined when nothing does. Throws `internal`.
 */
export async function findUnfinished(repository: GitRepository): Promise<string | undefined> {
  const { gitFolder } = await repository.findPlace();
  const operation = await findUnderWay(gitFolder);
  if (operation !== undefined) return `A ${operation} is not finished`;
  // Of several commits, the others wait here once the user has committed the one that stopped.
  if (await isThere(join(gitFolder, 'sequencer'))) return 'A cherry-pick or revert is not finished';
  const unmerged = await repository.output(['ls-files', '-u', '-z']);
  return unmerged === '' ? undefined : 'A conflict is not resolved';
}
