import { constants, lstatSync } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { followedPath } from '../files/followed-path.js';

const USUAL_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'].join(delimiter);
/** A folder that nobody but root can make. */
const NO_FOLDER = '/nonexistent';

/**
 * Returns the `PATH` for a program that is started by its name: of `path`, the absolute folders outside of `project`,
 * so that neither an empty entry nor `.` nor `node_modules/.bin` starts a program of the project. The usual folders
 * without a `path`. Never empty, because that would mean the working folder.
 */
export function programPath(path: string | undefined, project?: string): string {
  const folders = (path ?? USUAL_PATH)
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(project !== undefined && isWithin(resolve(folder), project)));
  return folders.length === 0 ? NO_FOLDER : folders.join(delimiter);
}

/**
 * Returns the project that `folder` belongs to: the outermost folder with a `.git` or a `.mesh`, or `folder` itself.
 * The `home` folder is no project, nor is `/`, also where they are a repository: programs of the user are below them.
 */
export function projectAround(folder: string, home: string | undefined): string | undefined {
  if (folder === home || dirname(folder) === folder) return undefined;
  let project = folder;
  for (let place = dirname(folder); place !== home && dirname(place) !== place; place = dirname(place))
    if (['.git', '.mesh'].some((name) => lstatSync(join(place, name), { throwIfNoEntry: false }))) project = place;
  return project;
}

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

const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Whether `place` is the home folder, or one above it in which nobody but the user and root can put a file. */
async function isOwn(place: string, home: string): Promise<boolean> {
  if (place === home) return true;
  if (!isWithin(home, place)) return false;
  const { uid, mode } = await stat(place);
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0;
}
