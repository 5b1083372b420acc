import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type GitEnvironment, runGit } from './git-command.js';

/**
 * How the project's own files are determined. `git`: git lists them. `none`: there is no repository, so all files
 * count. `unknown`: there is a repository that git cannot read, so no file counts as tracked.
 */
export type Tracking = 'git' | 'none' | 'unknown';

/** The error message for other programs when git cannot tell. */
export const TRACKING_UNKNOWN =
  'Git cannot tell which files this project tracks, so none of them is read for other programs. Its operator ' +
  'can see why with `git status`.';

/** Lists the files that git tracks and those that it does not ignore, each with a status letter. */
export const LIST_FILES = ['ls-files', '-t', '-c', '-o', '--exclude-standard', '-z'];

/** Returns the paths that `LIST_FILES` prints, each with whether git tracks it. */
export function listedPaths(output: string): Map<string, boolean> {
  const paths = new Map<string, boolean>();
  for (const entry of output.split('\0')) {
    const path = entry.slice(2);
    if (path !== '') paths.set(path, entry[0] !== '?' || paths.get(path) === true);
  }
  return paths;
}

/** Returns the paths that `LIST_FILES` prints and that a sparse checkout keeps off the disk. */
export function sparsePaths(output: string): Set<string> {
  return new Set(output.split('\0').flatMap((entry) => (entry.startsWith('S ') ? [entry.slice(2)] : [])));
}

/** Returns why git lists nothing: there is no repository at `root` or above it, or it cannot be read. */
export function trackingWithoutList(root: string): Exclude<Tracking, 'git'> {
  for (let folder = root; ; folder = dirname(folder)) {
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })) return 'unknown';
    if (folder === dirname(folder)) return 'none';
  }
}

/** Whether git lists the file (an absolute path) as one that it does not track; false where git cannot tell. */
export async function isUntracked(path: string, environment: GitEnvironment): Promise<boolean> {
  // Asked for what it does not track, because a file system without case finds a tracked file under another name.
  const listed = await runGit(dirname(path), environment, ['ls-files', '-o', '-z', '--', basename(path)]);
  return listed === `${basename(path)}\0`;
}
