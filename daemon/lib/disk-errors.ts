import { isMeshError, MeshError, systemCode } from './errors.js';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);
const REFUSED = new Set(['EROFS', 'EACCES', 'EPERM']);
const NO_MORE_FILES = new Set(['EMFILE', 'ENFILE']);

/** Whether the error, or one that caused it, is that the disk or the quota is full: of a system call or of SQLite. */
export function isDiskFull(error: unknown): boolean {
  if (isMeshError(error, 'no_space') || FULL.has(systemCode(error) ?? '')) return true;
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause);
}

/**
 * Maps a failed system call to an error code of the contract: `no_space` for a full disk, `store_readonly` for a disk
 * that is not writable or has failed, and `overloaded` when the process or the machine has no file descriptors left.
 * Returns any other error unchanged.
 */
export function toStorageError(error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (FULL.has(code))
    return new MeshError('no_space', 'The disk is full: free some space and send the request again.', { cause: error });
  if (REFUSED.has(code)) {
    return new MeshError('store_readonly', 'The project folder cannot be written: check its permissions.', {
      cause: error,
    });
  }
  if (code === 'EIO')
    return new MeshError('store_readonly', 'The disk has failed: check it and send the request again.', {
      cause: error,
    });
  if (NO_MORE_FILES.has(code)) {
    return new MeshError('overloaded', 'The daemon may open no more files at the moment: send the request again.', {
      cause: error,
      details: { retry_after: 1 },
    });
  }
  return error;
}

/**
 * As `toStorageError`, but only for a full disk and for a system call on a path. Returns undefined for every other
 * error, such as a program that could not be started.
 */
export function diskRefusal(error: unknown): MeshError | undefined {
  const { path, syscall } = error as { path?: unknown; syscall?: unknown };
  if (isDiskFull(error)) return toStorageError(error) as MeshError;
  if (typeof path !== 'string' || typeof syscall !== 'string' || syscall.startsWith('spawn')) return undefined;
  const known = toStorageError(error);
  return known instanceof MeshError ? known : undefined;
}

/** The sentence for a path whose permissions stay as they are, whatever is set: others can read what lies there. */
export const explainNoPermissions = (path: string) =>
  `${path} is on a file system that keeps no permissions, so others can read it (a Windows drive in WSL: mount it ` +
  'with `metadata`, or use a folder in your home).';
