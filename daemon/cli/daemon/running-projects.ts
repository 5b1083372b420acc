import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import type { RunningProject } from '../../contract/projects.js';
import { isPidTaken } from '../../lib/pid-taken.js';
import { isEntryName, type ProjectEntry, parseEntry } from '../../lib/project-entry.js';
import { projectsFolder, type Variables } from '../../lib/user-folders.js';
import { CommandError } from '../exit-codes.js';
import { findDaemon, type RunningDaemon } from './project.js';

/** The timeout per daemon, so that a busy one does not delay the list. */
const PATIENCE_MS = 1_000;
const MAX_BYTES = 65_536;

const isOwn = (uid: number) => process.getuid === undefined || uid === process.getuid();

/**
 * Reads an entry of the folder. Returns undefined for a link, a file of another user, one that others can read, or a
 * large one.
 */
function readEntry(folder: string, name: string): ProjectEntry | undefined {
  const path = join(folder, name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isOurs = found?.isFile() && isOwn(found.uid) && (found.mode & 0o077) === 0 && found.size <= MAX_BYTES;
  return isOurs ? parseEntry(name, readFileSync(path, 'utf8')) : undefined;
}

/**
 * The project's daemon, if it proves its identity in time. A problem of one project does not prevent listing the
 * others.
 */
async function findQuietly(root: string): Promise<RunningDaemon | undefined> {
  try {
    return await findDaemon(root, PATIENCE_MS);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

function sweep(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A folder in place of an entry is left alone.
  }
}

/**
 * Lists this user's running daemons that prove their identity, ordered by name. `current` marks the project at
 * `currentRoot`. Removes entries whose process has ended.
 */
export async function listRunningProjects(variables: Variables, currentRoot: string): Promise<RunningProject[]> {
  const folder = projectsFolder(variables, platform);
  const stats = folder === undefined ? undefined : lstatSync(folder, { throwIfNoEntry: false });
  if (folder === undefined || !stats?.isDirectory() || !isOwn(stats.uid)) return [];
  const find = async (name: string): Promise<RunningProject | undefined> => {
    const entry = readEntry(folder, name);
    const daemon = entry && (await findQuietly(entry.root));
    if (entry && daemon) {
      const { address, pid } = daemon.file;
      const { project, version, started_at } = daemon.health;
      return {
        name: project,
        root: entry.root,
        address,
        pid,
        version,
        started_at,
        current: entry.root === currentRoot,
      };
    }
    // A daemon that is just starting rewrites its entry: only the entry that was read, or an unreadable one, is
    // removed.
    const isStale = !entry || !isPidTaken(entry.pid);
    if (isStale && readEntry(folder, name)?.pid === entry?.pid) sweep(join(folder, name));
    return undefined;
  };
  const found = await Promise.all(readdirSync(folder).filter(isEntryName).map(find));
  const projects = found.filter((project) => project !== undefined);
  return projects.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.root.localeCompare(b.root, 'en'));
}
