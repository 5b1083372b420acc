import { MeshError, systemCode } from './errors.js';

const FULL = new Set(['ENOSPC', 'EDQUOT']);
const REFUSED = new Set(['EROFS', 'EACCES', 'EPERM']);
const NO_MORE_FILES = new Set(['EMFILE', 'ENFILE']);

/**
 * What the disk refused, in the contract's codes: a full one is `no_space`, one that may not be written or has failed is `store_readonly`, and a process or machine that may open no more
 * files is `overloaded`. Anything else stays what it was.
 */
export function asStorageError(error: unknown): unknown {
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

/** The same of any error that a call on a file of ours ended with; undefined for all others, such as a program that could not be started. */
export function diskRefusal(error: unknown): MeshError | undefined {
  const { path, syscall } = error as { path?: unknown; syscall?: unknown };
  if (typeof path !== 'string' || typeof syscall !== 'string' || syscall.startsWith('spawn')) return undefined;
  const known = asStorageError(error);
  return known instanceof MeshError ? known : undefined;
}
