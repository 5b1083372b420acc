import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

const USUAL_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'].join(delimiter);

/**
 * Returns the path of the program `name`, or undefined. A bare name is searched only in the absolute folders of `path`,
 * so that neither an empty entry nor `.` finds a program of the project. A name with a slash must be an absolute path.
 */
export async function findProgram(name: string, path: string | undefined): Promise<string | undefined> {
  if (isAbsolute(name)) return (await isProgram(name)) ? name : undefined;
  if (name === '' || /[/\\\0]/.test(name)) return undefined;
  for (const folder of (path ?? USUAL_PATH).split(delimiter)) {
    if (isAbsolute(folder) && (await isProgram(join(folder, name)))) return join(folder, name);
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
 * Returns the first of `names` (relative paths) that exists, as any kind of entry, in `folder` or in a folder above it.
 */
export async function findUpwards(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    for (const name of names) if (await lstat(join(place, name)).catch(() => undefined)) return join(place, name);
    if (dirname(place) === place) return undefined;
  }
}
