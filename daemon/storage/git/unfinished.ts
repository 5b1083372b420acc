import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readOwnFile } from '../files/own-file.js';
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
 * Returns what waits for the user of a working tree, opened at its top, as the beginning of a sentence: its files are
 * not what they will be. Undefined when nothing does. Throws `internal`.
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

/** What names, one in a line, the branches that an operation of git will move, or check out again, when it ends. */
const NAMING = [
  ['rebase-merge/head-name', 'rebased'],
  ['rebase-merge/update-refs', 'rebased'],
  ['rebase-apply/head-name', 'rebased'],
  ['BISECT_START', 'bisected'],
] as const;

/** An agent can have put anything into the git folder of its worktree: only plain small files are read. */
const readLines = async (path: string) => (await readOwnFile(path, undefined))?.split('\n') ?? [];

/** The working tree of a git folder. It may be gone. */
async function folderOf(gitFolder: string, commonFolder: string): Promise<string> {
  if (gitFolder === commonFolder) return basename(gitFolder) === '.git' ? dirname(gitFolder) : gitFolder;
  const [file] = await readLines(join(gitFolder, 'gitdir'));
  return file ? dirname(resolve(gitFolder, file)) : gitFolder;
}

/**
 * Returns in which folder a branch is rebased or bisected, though git names none that has it checked out: when that
 * ends, git expects the branch where it was. Undefined when there is none. Throws `internal`.
 */
export async function findBranchUser(
  repository: GitRepository,
  branch: string,
): Promise<{ what: 'rebased' | 'bisected'; folder: string } | undefined> {
  const { commonFolder } = await repository.findPlace();
  const linked = join(commonFolder, 'worktrees');
  const names = await readdir(linked).catch((): string[] => []);
  for (const gitFolder of [commonFolder, ...names.map((name) => join(linked, name))])
    for (const [name, what] of NAMING) {
      const lines = await readLines(join(gitFolder, name));
      const isNamed = lines.some((line) => line === `refs/heads/${branch}` || (what === 'bisected' && line === branch));
      if (isNamed) return { what, folder: await folderOf(gitFolder, commonFolder) };
    }
  return undefined;
}
