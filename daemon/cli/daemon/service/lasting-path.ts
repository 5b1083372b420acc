import { realpathSync } from 'node:fs';
import { delimiter, sep } from 'node:path';

/** The folder below which fnm keeps, for each shell, a link to its Node.js. Such a link is of no use to another shell. */
const SHELLS = 'fnm_multishells';

function lastingFolder(folder: string): readonly string[] {
  if (!folder.split(sep).includes(SHELLS)) return [folder];
  try {
    return [realpathSync(folder)];
  } catch {
    // The link of a shell that has ended.
    return [];
  }
}

/**
 * Returns `path`, a list of folders, with the folders to which the links of fnm for one shell lead in place of these,
 * and each folder once. Returns a list without such links unchanged.
 */
export function lastingPath(path: string | undefined): string | undefined {
  if (!path?.includes(SHELLS)) return path;
  return [...new Set(path.split(delimiter).flatMap(lastingFolder))].join(delimiter);
}
