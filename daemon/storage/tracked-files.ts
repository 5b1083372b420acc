import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What is known of which files are the project's own. `git`: git lists them. `none`: there is no repository, so that all files are. `unknown`: there is one,
 * and git could not read it: then none counts as tracked.
 */
export type Tracking = 'git' | 'none' | 'unknown';

/** Said to other programs where git cannot tell. */
export const TRACKING_UNKNOWN =
  'Git cannot tell which files this project tracks, so none of them is read for other programs. Its operator can see why with `git status`.';

/** Lists what git tracks and what it does not ignore, each with a letter that tells which. */
export const LIST_FILES = ['ls-files', '-t', '-c', '-o', '--exclude-standard', '-z'];

/** The paths that `LIST_FILES` prints, with whether git tracks them. */
export function listedPaths(output: string): Map<string, boolean> {
  const paths = new Map<string, boolean>();
  for (const entry of output.split('\0')) {
    const path = entry.slice(2);
    if (path !== '') paths.set(path, entry[0] !== '?' || paths.get(path) === true);
  }
  return paths;
}

/** Why git has listed nothing: there is no repository at `root` or above it, or one that cannot be read. */
export function trackingWithoutList(root: string): Exclude<Tracking, 'git'> {
  for (let folder = root; ; folder = dirname(folder)) {
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })) return 'unknown';
    if (folder === dirname(folder)) return 'none';
  }
}
