import { isAbsolute } from 'node:path';
import type { RunningProject } from '../contract/projects.js';
import { isLoopbackOrigin } from './crypto/daemon-proof.js';
import { sha256Hex } from './crypto/digests.js';

/**
 * The entry by which a daemon publishes the location of its project to the other daemons of its user. It contains no
 * secret; a reader requests the rest from the daemon itself.
 */
export type ProjectEntry = Omit<RunningProject, 'current'>;

/** The file name of the entry of the project at `root`. It is the same at every start of its daemon. */
export const entryName = (root: string): string => `${sha256Hex(root).slice(0, 32)}.json`;

/** Whether a file of the folder is an entry. Temporary files from which an entry is renamed are not. */
export const isEntryName = (name: string): boolean => /^[0-9a-f]{32}\.json$/.test(name);

/** Parses an entry. Returns undefined when it is truncated, does not belong to its file name, or names another host. */
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
