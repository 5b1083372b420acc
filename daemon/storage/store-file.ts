import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** SQLite's head of a file: 100 bytes, of which two at 16 say how long a page is, 1 for 65,536. */
const HEAD_BYTES = 100;
const PAGE_LENGTH_AT = 16;

/** A file on its way to become one. */
const TEMPORARY = /^\.[0-9a-f]{16}\.tmp$/;

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Whether the file at `path` has lost all it held. A first start that was killed leaves an empty file too, but nothing beside it: a daemon writes its log and its
 * port when its store is open. SQLite would make a new store of such a file, and throw away a log that is left of the old one.
 */
export function hasLostAll(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return false;
  if (sizeOf(`${path}-wal`) > 0) return true;
  const ownFiles = ['', '-wal', '-shm', '-journal'].map((end) => basename(path) + end);
  // The id of the state is written before the store is made.
  return readdirSync(dirname(path)).some((name) => name !== 'id' && !ownFiles.includes(name) && !TEMPORARY.test(name));
}

/**
 * Whether the file at `path` ends in the midst of a page. SQLite takes the rest of it for zeros, and its own check may find nothing wrong with them. While there is a log,
 * what a kill has left half written stands in that.
 */
export function isCutShort(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size < HEAD_BYTES || sizeOf(`${path}-wal`) > 0) return false;
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
