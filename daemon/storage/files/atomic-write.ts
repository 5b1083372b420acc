import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { explainNoPermissions, toStorageError } from '../../lib/disk-errors.js';
import { MeshError, systemCode } from '../../lib/errors.js';
import { temporaryName } from '../../private/private-file.js';

/**
 * The mode of a file or folder of the user's project: that of the one it replaces, or what the umask leaves of a new
 * one, as the user's own programs would make it.
 */
const USUAL = 'usual';
type Mode = number | typeof USUAL;

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY, O_RDONLY, O_DIRECTORY } = constants;

/**
 * Replaces the file at `path` with `text` atomically: a reader, a crash or a full disk sees the old content or the new
 * one, never a part. Steps: temporary file, write, fsync, rename, fsync of the directory. Throws `file_changed` when
 * the target is not a regular file, and `no_space` when the disk is full; the old file is then unchanged.
 * Without `isDurable` there is no fsync: after a power failure the file may be the old one, or empty.
 */
export async function atomicWrite(
  path: string,
  content: string | Uint8Array,
  mode: Mode,
  { isDurable = true } = {},
): Promise<void> {
  const current = await lstat(path).catch(() => undefined);
  if (current && !current.isFile()) {
    throw new MeshError(
      'file_changed',
      `${path} is not a regular file any more; replace it by hand with a regular file.`,
    );
  }
  const exact = mode === USUAL ? current && current.mode & 0o777 : mode;
  const temporary = temporaryName(path);
  let file: FileHandle | undefined;
  try {
    file = await open(temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, exact);
    if (exact !== undefined) await file.chmod(exact);
    await file.writeFile(content);
    if (isDurable) await file.sync();
    await file.close();
    file = undefined;
    await rename(temporary, path);
    if (isDurable) await syncDirectory(dirname(path));
  } catch (error) {
    await file?.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw toStorageError(error);
  }
}

/** Removes the file at `path` durably. Calling it again is safe. */
export async function durableUnlink(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw toStorageError(error);
  }
  await syncDirectory(dirname(path));
}

/**
 * Ensures that `path` is a directory with exactly `mode`, unless that is `usual`. Throws `forbidden` for a symbolic
 * link or a file in its place, and for a `mode` that shuts others out on a file system that keeps no permissions.
 */
export async function ensureDirectory(path: string, mode: Mode): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: mode === USUAL ? undefined : mode }).catch(async (error) => {
    // What is there already, such as a link to nothing, is looked at below.
    if ((await lstat(path).catch(() => undefined)) === undefined) throw toStorageError(error);
    return undefined;
  });
  const found = await lstat(path);
  if (!found.isDirectory()) {
    throw new MeshError('forbidden', `${path} must be a directory, not a link or a file: remove it and start again.`);
  }
  if (mode === USUAL || (found.mode & 0o777) === mode) return;
  const kept = await setMode(path, mode);
  if ((mode & 0o077) !== 0 || (kept & 0o077) === 0) return;
  if (made !== undefined) await rmdir(path).catch(() => undefined);
  throw new MeshError('forbidden', explainNoPermissions(path));
}

/** Sets the mode of a directory. Returns the mode that it then has: some file systems ignore what is set. */
async function setMode(path: string, mode: number): Promise<number> {
  try {
    const directory = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      await directory.chmod(mode);
      return (await directory.stat()).mode;
    } finally {
      await directory.close();
    }
  } catch (error) {
    // An error of an operation on an open file does not name the file.
    throw toStorageError(Object.assign(error as Error, { path }));
  }
}

/**
 * Makes entries created, renamed or removed in the directory at `path` durable across a power failure, where the file
 * system can sync a directory.
 */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, O_RDONLY | O_DIRECTORY);
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    // What some shared folders (vboxsf, old CIFS) say of every directory. The entries are as durable as they can be.
    if (systemCode(error) === 'EINVAL') return;
    throw toStorageError(error);
  }
}
