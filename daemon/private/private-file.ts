import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { MeshError, systemCode } from '../lib/errors.js';
import { DATABASE_ENDINGS } from './private-names.js';

const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MESH = `${sep}.mesh${sep}`;

/** The uid of this process; undefined where the system has no users. */
const ownUid = () => process.getuid?.();

function getKind(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? undefined : 'a device';
}

const refusal = (path: string, what: string) =>
  new MeshError(
    'forbidden',
    `${path} is ${what}, and must be a regular file of yours under one name: move it away and start again.`,
  );

function refuseUnlessPlain(path: string, stats: Stats): void {
  const kind = getKind(stats);
  if (kind !== undefined) throw refusal(path, kind);
  const uid = ownUid();
  if (uid !== undefined && stats.uid !== uid) throw refusal(path, `a file of another user (uid ${stats.uid})`);
  if (stats.nlink > 1) throw refusal(path, `a hard link (${stats.nlink} names)`);
}

/** Returns the folders that lead to `path`, from `.mesh` on; for a path outside a `.mesh`, only its parent folder. */
function foldersTo(path: string): string[] {
  const folders = [dirname(path)];
  const at = path.lastIndexOf(MESH);
  if (at === -1) return folders;
  const mesh = path.slice(0, at + MESH.length - 1);
  for (let folder = dirname(path); folder !== mesh; folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

/**
 * Returns the entry at `path` without following links; undefined when it does not exist, or
 * when its parent is not a folder.
 */
export function findEntry(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Throws `forbidden` when a folder on the way from `.mesh` to `path` is a link or a file, or when the last one below a
 * `.mesh` belongs to another user.
 */
function checkFolders(path: string): void {
  const uid = path.includes(MESH) ? ownUid() : undefined;
  foldersTo(path).forEach((folder, index) => {
    const found = findEntry(folder);
    if (!found) return;
    if (!found.isDirectory())
      throw new MeshError('forbidden', `${folder} must be a folder, not a link or a file: replace it and start again.`);
    if (index === 0 && uid !== undefined && found.uid !== uid)
      throw new MeshError('forbidden', `${folder} belongs to another user (uid ${found.uid}): make it yours.`);
  });
}

/**
 * Checks the entry at `path`, below `.mesh/state`, `.mesh/credentials` or another folder of this user, before
 * it is opened by name. Returns false when it does not exist. Throws `forbidden` for a link, a file with
 * several names (hard links), a pipe, a device, a folder or another user's file, and when a folder on the way
 * is a link, a file or another user's.
 */
export function checkPrivateFile(path: string): boolean {
  checkFolders(path);
  const found = findEntry(path);
  if (!found) return false;
  refuseUnlessPlain(path, found);
  return true;
}

/** Like `checkPrivateFile`, for a database and all files that SQLite keeps beside it. */
export function checkPrivateDatabase(path: string): boolean {
  for (const ending of DATABASE_ENDINGS) checkPrivateFile(path + ending);
  return checkPrivateFile(path);
}

/**
 * Creates an empty private file (0600) unless there is one, for a program that would create it with the mode that the
 * umask leaves. A file that is there is not opened: a process that closes a file once loses all its locks on it. Throws
 * like `checkPrivateFile`, and the system's errors.
 */
export function createPrivateSync(path: string): void {
  if (checkPrivateFile(path)) return;
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Opens a private file and returns its descriptor, or undefined when it does not exist and `flags` do not create it.
 * The check is repeated on the open file, because the name can refer to another file by then. Throws like
 * `checkPrivateFile`, and the system's errors.
 */
export function openPrivateSync(path: string, flags: number, mode = 0o600): number | undefined {
  const isThere = checkPrivateFile(path);
  if (!isThere && (flags & constants.O_CREAT) === 0) return undefined;
  let file: number;
  try {
    file = openSync(path, flags | SAFE, mode);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && (flags & constants.O_CREAT) === 0) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    refuseUnlessPlain(path, stats);
    if ((stats.mode & 0o777 & ~mode) !== 0) fchmodSync(file, mode);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Like `openPrivateSync`, for reading, without blocking the event loop on opening the file. */
export async function openPrivate(path: string, mode = 0o600): Promise<FileHandle | undefined> {
  if (!checkPrivateFile(path)) return undefined;
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | SAFE);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stats = await file.stat();
    refuseUnlessPlain(path, stats);
    if ((stats.mode & 0o777 & ~mode) !== 0) await file.chmod(mode);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns the text of a private file; undefined when it does not exist. Throws like `checkPrivateFile`. */
export function readPrivateSync(path: string): string | undefined {
  const file = openPrivateSync(path, constants.O_RDONLY);
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Like `readPrivateSync`, without blocking the event loop on reading the file. */
export async function readPrivate(path: string): Promise<string | undefined> {
  const file = await openPrivate(path);
  return file?.readFile('utf8').finally(() => file.close());
}

/**
 * Returns a random name beside `path`. It starts with a dot, so that no watcher or listing
 * treats the file as a document.
 */
export const temporaryName = (path: string): string => join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);

/**
 * Replaces the text of a private file, or creates it (0600), atomically: old content or new, never a part. Throws like
 * `checkPrivateFile`, and the system's errors.
 */
export function writePrivateSync(path: string, text: string): void {
  checkPrivateFile(path);
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
