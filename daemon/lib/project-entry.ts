import { isAbsolute } from 'node:path';
import type { RunningProject } from '../contract/projects.js';
import { isLoopbackOrigin } from './daemon-proof.js';
import { sha256Hex } from './digests.js';

/** What a daemon leaves for the others of its user: where its project is. It holds no secret; who reads it asks the daemon itself. */
export type ProjectEntry = Omit<RunningProject, 'current'>;

/** The name of the entry of the project at `root`: one for each, however often its daemon starts. */
export const entryName = (root: string): string => `${sha256Hex(root).slice(0, 32)}.json`;

/** Whether a file of the folder is an entry; a file on its way to become one, for instance, is not. */
export const isEntryName = (name: string): boolean => /^[0-9a-f]{32}\.json$/.test(name);

/** The entry in `text`, or undefined when it is torn, is not the one of its name, or names another machine. */
export function parseEntry(name: string, text: string): ProjectEntry | undefined {
  let entry: ProjectEntry;
  try {
    entry = JSON.parse(text) as ProjectEntry;
  } catch {
    return undefined;
  }
  const isOne = typeof entry?.root === 'string' && isAbsolute(entry.root) && entryName(entry.root) === name;
  return isOne && Number.isInteger(entry.pid) && isLoopbackOrigin(entry.address) ? entry : undefined;
}
