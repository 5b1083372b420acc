import { readFileSync, realpathSync, statSync } from 'node:fs';
import { MeshError } from '../lib/errors.js';

/** The folder at `path` under its real name, so that one project has one daemon however it is reached. Throws `bad_request` when it is none. */
export function realFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new MeshError('bad_request', `--root ${path} is not a folder.`);
  return realpathSync(path);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The text of a file that meshd is installed with. */
export function readInstalledFile(path: string): string {
  return readFileSync(path, 'utf8');
}
