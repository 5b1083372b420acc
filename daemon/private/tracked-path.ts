import { statSync } from 'node:fs';
import { join } from 'node:path';
import { foldPath } from '../lib/text/fold-path.js';

/** Folders that git must never track, relative to the project. */
export const SECRET_FOLDERS = ['.mesh/credentials', '.mesh/state'];
/** Takes them out of git, also where it tracks only one of them. */
export const UNTRACK_COMMAND = `git rm -r --cached --ignore-unmatch ${SECRET_FOLDERS.join(' ')}`;

/**
 * Whether the project's file system takes `.MESH` for `.mesh`. There git writes a tracked `.MESH/state/x` into
 * `.mesh/state`, though it compares paths by their letters.
 */
export function foldsNames(root: string): boolean {
  const [mesh, folded] = ['.mesh', '.MESH'].map((name) => statSync(join(root, name), { throwIfNoEntry: false }));
  return mesh !== undefined && mesh.ino === folded?.ino && mesh.dev === folded.dev;
}

/** The arguments of a git command that lists at least every tracked path that leads into one of the folders. */
export const listTracked = (isFolded: boolean): string[] => [
  ...['ls-files', '-z', '--'],
  ...(isFolded ? [] : SECRET_FOLDERS),
];

/** Returns the paths of such a list, separated by NUL, that lead into one of the folders. */
export function trackedSecrets(listed: string): string[] {
  const isSecret = (path: string) => SECRET_FOLDERS.some((folder) => `${foldPath(path)}/`.startsWith(`${folder}/`));
  return listed.split('\0').filter(isSecret);
}
