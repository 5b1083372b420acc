import { lstatSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';

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

/** Whether `path` is `folder` or below it. Both are absolute, and compared as they are written. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
