import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isWithin, programPath } from '../../private/program-path.js';
import { followedPath } from '../files/followed-path.js';

/**
 * Returns the path of the program `name`, or undefined. A bare name is searched only in the folders of `programPath`. A
 * name with a slash must be an absolute path.
 */
export async function findProgram(
  name: string,
  path: string | undefined,
  project?: string,
): Promise<string | undefined> {
  if (isAbsolute(name)) return (await isProgram(name)) ? name : undefined;
  if (name === '' || /[/\\\0]/.test(name)) return undefined;
  for (const folder of programPath(path, project).split(delimiter)) {
    if (await isProgram(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Returns the first of `names` (relative paths) that exists, as any kind of entry, in `folder` or in a folder above it,
 * up to the top of its repository or, with `isBeyond`, up to `/`. The user's `home` is left out, and so are the folders
 * above it that only the user and root may write to: what is there is the user's own.
 */
export async function findUpwards(
  folder: string,
  names: readonly string[],
  { home, isBeyond = false }: { home?: string | undefined; isBeyond?: boolean } = {},
): Promise<string | undefined> {
  const own = home && isAbsolute(home) ? (followedPath(home) ?? home) : undefined;
  const isInHome = own !== undefined && isWithin(followedPath(folder) ?? folder, own);
  for (let place = folder; ; place = dirname(place)) {
    if (!(isInHome && (await isOwn(followedPath(place) ?? place, own)))) {
      for (const name of names) if (await exists(join(place, name))) return join(place, name);
    }
    if (dirname(place) === place || (!isBeyond && (await exists(join(place, '.git'))))) return undefined;
  }
}

const exists = async (path: string) => (await lstat(path).catch(() => undefined)) !== undefined;

/** Whether `place` is the home folder, or one above it in which nobody but the user and root can put a file. */
async function isOwn(place: string, home: string): Promise<boolean> {
  if (place === home) return true;
  if (!isWithin(home, place)) return false;
  const { uid, mode } = await stat(place);
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0;
}
