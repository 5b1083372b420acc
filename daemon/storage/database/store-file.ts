import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Length of the SQLite file header. The two bytes at offset 16 hold the page size, where 1 stands for 65,536. */
const HEAD_BYTES = 100;
const PAGE_LENGTH_AT = 16;

/** A temporary file of an atomic write. */
const TEMPORARY = /^\.[0-9a-f]{16}\.tmp$/;

/** Files that a first start writes before the store is created. */
const BEFORE_STORE = ['id', '.gitignore'];

const getSize = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Reports whether the file at `path` has lost its whole content. A first start that was killed also leaves an empty
 * file, but no other files beside it: a daemon writes its log and its port only once its store is open. SQLite would
 * create a new store in such a file and discard a write-ahead log left of the old one.
 */
export function isEmptied(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return false;
  if (getSize(`${path}-wal`) > 0) return true;
  const ownFiles = ['', '-wal', '-shm', '-journal'].map((end) => basename(path) + end);
  const isEarlier = (name: string) => BEFORE_STORE.includes(name) || ownFiles.includes(name) || TEMPORARY.test(name);
  return readdirSync(dirname(path)).some((name) => !isEarlier(name));
}

/**
 * Reports whether the file at `path` ends in the middle of a page. SQLite reads the missing rest as zeros, and its own
 * check may not detect that. While there is a write-ahead log, the log holds whatever a kill left half written.
 */
export function isCutShort(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size < HEAD_BYTES || getSize(`${path}-wal`) > 0) return false;
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, HEAD_BYTES, 0);
  } finally {
    closeSync(file);
  }
  const length = head.readUInt16BE(PAGE_LENGTH_AT);
  return length > 0 && found.size % (length === 1 ? 65_536 : length) !== 0;
}
