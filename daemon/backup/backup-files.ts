import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BACKUP_FILES_MAX } from '../contract/backups.js';
import { MeshError, systemCode } from '../lib/errors.js';
import { isPlainPath } from '../storage/members/agent-files.js';
import { isOfRestore } from '../storage/restore-moves.js';

export const DATABASE = 'state/mesh.db';
/** Files that belong to the database and are restored together with it. */
const DATABASE_LOGS = ['-wal', '-shm', '-journal'].map((end) => DATABASE + end);

/**
 * Entries of `state/` that belong to the running process, that were written by others, or
 * that are recreated when missing.
 */
const PASSING = /^(?:id|mesh\.db.*|knowledge\.db.*|embeddings\.db.*|daemon\.json|daemon\.log.*|runs|outside|\..*)$/;
/** A temporary file of an atomic write. */
const UNFINISHED = /^\.[0-9a-f]{16}\.tmp$/;

/** State that was moved aside has no owner until it is adopted. */
const isForeign = (name: string) => name.startsWith('foreign-');

const isPassing = (name: string) => PASSING.test(name) || isOfRestore(name);

async function listEntries(folder: string) {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Returns what a backup may replace in `mesh`, each a file or a folder, as paths below it: everything except the
 * transient entries of `state/`, and `credentials` only if `withCredentials`. Includes the database when it exists.
 */
export async function replaceable(mesh: string, withCredentials: boolean): Promise<string[]> {
  const names: string[] = [];
  for (const { name } of await listEntries(mesh)) {
    if (name !== 'state' && !UNFINISHED.test(name) && !isForeign(name) && (name !== 'credentials' || withCredentials))
      names.push(name);
  }
  for (const { name } of await listEntries(join(mesh, 'state'))) {
    const path = `state/${name}`;
    if (path === DATABASE || DATABASE_LOGS.includes(path) || !isPassing(name)) names.push(path);
  }
  return names;
}

/** The files of a backup beside the database, and the files left out, each with the reason. */
interface BackupPaths {
  paths: string[];
  leftOut: { path: string; reason: string }[];
}

/**
 * Lists every file that belongs in a backup of `mesh`, as paths below it, without the database. Links are not followed.
 * Throws `too_large` when there are too many files.
 */
export async function listBackupFiles(mesh: string, withCredentials: boolean): Promise<BackupPaths> {
  const found: BackupPaths = { paths: [], leftOut: [] };
  const walk = async (folder: string) => {
    for (const entry of await listEntries(join(mesh, folder))) {
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

/**
 * Reports whether a backup may contain a file with that path: no file of a running process, and
 * credentials only if `withCredentials`.
 */
export function isRestorable(path: string, withCredentials: boolean): boolean {
  const [first, second, third] = path.split('/') as [string, string | undefined, string | undefined];
  if (first === 'state')
    return (
      second !== undefined && (path === DATABASE || !isPassing(second)) && (second !== 'mesh.db' || third === undefined)
    );
  return first !== 'credentials' || (withCredentials && second !== undefined);
}

/**
 * Returns the entry that one move puts into place for that file: its first name below `.mesh`, or below `.mesh/state`.
 */
export function getMoveRoot(path: string): string {
  const [first = '', second] = path.split('/');
  return first === 'state' ? `${first}/${second}` : first;
}
