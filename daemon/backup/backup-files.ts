import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BACKUP_FILES_MAX } from '../contract/backups.js';
import { MeshError, systemCode } from '../lib/errors.js';
import { isPlainPath } from '../storage/agent-files.js';
import { isOfRestore } from '../storage/restore-moves.js';

export const DATABASE = 'state/mesh.db';
/** What belongs to the database's file and goes with it. */
export const DATABASE_LOGS = ['-wal', '-shm', '-journal'].map((end) => DATABASE + end);

/** What of `state/` is of the running process, of others' making, or made anew when it is gone. */
const PASSING = /^(?:id|mesh\.db.*|knowledge\.db.*|embeddings\.db.*|daemon\.json|daemon\.log.*|runs|outside|\..*)$/;
/** A file on its way to become one. */
const UNFINISHED = /^\.[0-9a-f]{16}\.tmp$/;

/** State that was set aside is nobody's until it is adopted. */
const isForeign = (name: string) => name.startsWith('foreign-');

const isPassing = (name: string) => PASSING.test(name) || isOfRestore(name);

async function entriesOf(folder: string) {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * What a backup may replace in `mesh`, each a file or a folder, as paths below it: everything but what is passing in `state/`, and `credentials` only with
 * them. The database is among them when it is there.
 */
export async function replaceable(mesh: string, withCredentials: boolean): Promise<string[]> {
  const names: string[] = [];
  for (const { name } of await entriesOf(mesh)) {
    if (name !== 'state' && !UNFINISHED.test(name) && !isForeign(name) && (name !== 'credentials' || withCredentials))
      names.push(name);
  }
  for (const { name } of await entriesOf(join(mesh, 'state'))) {
    const path = `state/${name}`;
    if (path === DATABASE || DATABASE_LOGS.includes(path) || !isPassing(name)) names.push(path);
  }
  return names;
}

/** What a backup holds beside the database, and what it leaves out, with why. */
export interface BackupPaths {
  paths: string[];
  leftOut: { path: string; reason: string }[];
}

/** Every file that belongs into a backup of `mesh`, as paths below it, without the database. Links are not followed. */
export async function listBackupFiles(mesh: string, withCredentials: boolean): Promise<BackupPaths> {
  const found: BackupPaths = { paths: [], leftOut: [] };
  const walk = async (folder: string) => {
    for (const entry of await entriesOf(join(mesh, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (
        UNFINISHED.test(entry.name) ||
        (folder === '' && isForeign(entry.name)) ||
        (folder === 'state' && isPassing(entry.name)) ||
        (path === 'credentials' && !withCredentials)
      )
        continue;
      if (entry.isDirectory()) await walk(path);
      else if (!entry.isFile()) found.leftOut.push({ path, reason: 'It is a link, or no regular file.' });
      else if (!isPlainPath(path))
        found.leftOut.push({ path, reason: 'Its name holds a control character or a backslash.' });
      else found.paths.push(path);
    }
  };
  await walk('');
  if (found.paths.length < BACKUP_FILES_MAX) return found;
  throw new MeshError(
    'too_large',
    `.mesh holds more than ${BACKUP_FILES_MAX - 1} files: move away what does not belong there.`,
  );
}

/** Whether a backup may hold a file of that path: nothing that is of a running process, and of tokens and keys only what it says that it holds. */
export function isRestorable(path: string, withCredentials: boolean): boolean {
  const [first, second, third] = path.split('/') as [string, string | undefined, string | undefined];
  if (first === 'state')
    return (
      second !== undefined && (path === DATABASE || !isPassing(second)) && (second !== 'mesh.db' || third === undefined)
    );
  return first !== 'credentials' || (withCredentials && second !== undefined);
}

/** What of a backup's files comes into its place by one move: the name below `.mesh`, or below `.mesh/state`. */
export function moveOf(path: string): string {
  const [first = '', second] = path.split('/');
  return first === 'state' ? `${first}/${second}` : first;
}
