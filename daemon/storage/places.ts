import { readFileSync, realpathSync, statSync } from 'node:fs';
import { MeshError } from '../lib/errors.js';

/**
 * Returns the real path of the folder at `path`, so that a project has one daemon whatever path leads to it. Throws
 * `bad_request` when it is not a folder.
 */
export function realFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new MeshError('bad_request', `--root ${path} is not a folder.`);
  return realpathSync(path);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns the text of a file of the meshd installation. */
export function readInstalledFile(path: string): string {
  return readFileSync(path, 'utf8');
}
