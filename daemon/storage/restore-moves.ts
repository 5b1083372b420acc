import { link, lstat, mkdir, readdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDiskFull } from '../lib/disk-errors.js';
import { getErrorMessage, MeshError, systemCode } from '../lib/errors.js';
import { readPrivate } from '../private/private-file.js';
import { inState } from '../private/private-names.js';
import { openPrivateSqlite } from './database/sqlite.js';
import { atomicWrite, durableUnlink, ensureDirectory, syncDirectory } from './files/atomic-write.js';
import { isWithoutLinks } from './files/hard-links.js';
import { isPlainPath } from './members/agent-files.js';

/**
 * A restore that is committed: the new content is complete in one folder of `state/`, and the present content is moved
 * into another. Each move is idempotent, so a process that finds this record after a kill or a power failure completes
 * the remaining moves. Names are paths below `.mesh`.
 */
export interface RestoreMoves {
  /** Folder in `state/` with the new content, laid out like `.mesh`. */
  from: string;
  /** Folder in `state/` for the replaced content. */
  aside: string;
  /** The entries that the new content replaces or adds. */
  replace: string[];
  /** The present entries for which there is no new content. */
  remove: string[];
  /**
   * Counts the restores of this project, so that the last one is known regardless of the clock.
   * Records of version 0.1.0 have none.
   */
  order?: number;
}

const RECORD = 'restore.json';
const LOCK = 'restore.lock';
const FROM = /^(restore|before-restore)-[0-9A-Za-z-]{1,40}$/;
const ASIDE = /^before-restore-[0-9A-Za-z-]{1,40}$/;

/** Reports whether an entry of `state/` belongs to restores. */
export const isOfRestore = (name: string): boolean => name === RECORD || name.startsWith(LOCK) || FROM.test(name);

const exists = async (path: string) => (await lstat(path).catch(() => undefined)) !== undefined;

/** Reports whether a restore was committed and is not finished. */
export const isDecidedOn = (mesh: string): Promise<boolean> => exists(join(mesh, 'state', RECORD));

/**
 * Locks restores until the returned function is called; the kernel releases the lock when the process dies. Throws
 * `in_flight` when another process holds it.
 */
export function lockRestore(mesh: string): () => void {
  const path = inState(join(mesh, 'state'), LOCK);
  const lock = openPrivateSqlite(path, { timeout: 0 });
  try {
    // The database serves only as a lock: it holds no data to recover.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!systemCode(error)?.startsWith('SQLITE_BUSY')) throw error;
    throw new MeshError('in_flight', 'A backup is being restored here: try again when that is done.');
  }
  return () => void lock.close();
}

/**
 * Moves the entry at `place` to `aside`. A file that is replaced remains at both paths until the new one takes its
 * place, so that it is never missing.
 */
async function moveAside(place: string, aside: string, isReplaced: boolean): Promise<void> {
  const found = await lstat(place).catch(() => undefined);
  if (!found) return;
  await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
  const earlier = await lstat(aside).catch(() => undefined);
  if (earlier) {
    if (earlier.ino === found.ino && earlier.dev === found.dev) return isReplaced ? undefined : unlink(place);
    throw new MeshError(
      'file_changed',
      `${place} was written while a backup was being restored: move it away and start again.`,
    );
  }
  if (!found.isFile() || !isReplaced) return rename(place, aside);
  try {
    await link(place, aside);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    await rename(place, aside);
  }
}

async function make(mesh: string, { from, aside, replace, remove }: RestoreMoves): Promise<void> {
  const state = join(mesh, 'state');
  for (const name of remove) await moveAside(join(mesh, name), join(state, aside, name), false);
  for (const name of replace) {
    const [staged, place] = [join(state, from, name), join(mesh, name)];
    const found = await lstat(staged).catch(() => undefined);
    if (!found) continue;
    // A folder cannot take the place of a file that is still there.
    await moveAside(place, join(state, aside, name), !found.isDirectory());
    await mkdir(dirname(place), { recursive: true });
    await rename(staged, place);
  }
}

/** Parses the text of a record. Throws `forbidden` for a text that is not a record of a restore. */
function parse(text: string): RestoreMoves {
  const refused = new MeshError(
    'forbidden',
    `.mesh/state/${RECORD} is no record of a restore: remove it and start again.`,
  );
  let moves: RestoreMoves | null = null;
  try {
    moves = JSON.parse(text) as RestoreMoves | null;
  } catch {
    // No JSON is no record either.
  }
  const areNames = (names: unknown) =>
    Array.isArray(names) && names.every((name) => typeof name === 'string' && isPlainPath(name));
  const isOne =
    moves !== null &&
    FROM.test(moves.from) &&
    ASIDE.test(moves.aside) &&
    moves.from !== moves.aside &&
    Number.isSafeInteger(moves.order ?? 0);
  if (!isOne || !areNames(moves?.replace) || !areNames(moves?.remove)) throw refused;
  return moves as RestoreMoves;
}

async function readRecord(path: string): Promise<RestoreMoves | undefined> {
  const text = await readPrivate(path);
  return text === undefined ? undefined : parse(text);
}

/**
 * Throws `store_readonly` when a folder of the moves is on another file system than `state/`: no rename crosses that.
 */
async function refuseOtherFileSystem(mesh: string, { replace, remove }: RestoreMoves): Promise<void> {
  const state = join(mesh, 'state');
  const { dev } = await lstat(state);
  for (const place of [...remove, ...replace].map((name) => join(mesh, name)))
    for (const path of [place, dirname(place)]) {
      const found = await lstat(path).catch(() => undefined);
      // On an overlay a file may tell the device of its layer, while it can be moved.
      if (!found?.isDirectory() || found.dev === dev) continue;
      throw new MeshError(
        'store_readonly',
        `${path} and ${state} are on two file systems, and nothing can be moved between those in one step: nothing ` +
          'was changed. Put both on one, without a volume or mount for one of them, and start again.',
      );
    }
}

/**
 * Takes back the moves, of which `staged` are those with new content, and removes the record. Each step leaves what
 * `make` can go on from: a process that finds the record after a kill in between makes the moves again.
 */
async function takeBack(mesh: string, moves: RestoreMoves, staged: readonly string[]): Promise<void> {
  const state = join(mesh, 'state');
  const folder = join(state, moves.aside);
  for (const name of [...moves.remove, ...moves.replace].reverse()) {
    const [place, from] = [join(mesh, name), join(state, moves.from, name)];
    if (staged.includes(name) && !(await exists(from))) await rename(place, from);
    await moveAside(join(folder, name), place, false);
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const left = await readdir(folder, { recursive: true, withFileTypes: true });
  if (left.some((entry) => !entry.isDirectory())) throw new Error(`${folder} is not empty.`);
  for (const one of [mesh, state]) await syncDirectory(one);
  await durableUnlink(join(state, RECORD));
  await rm(folder, { recursive: true, force: true });
}

async function finish(mesh: string, moves: RestoreMoves): Promise<void> {
  const state = join(mesh, 'state');
  await ensureDirectory(join(state, moves.aside), 0o700);
  for (const folder of [mesh, state, join(state, moves.aside)]) await syncDirectory(folder);
  // The restore is complete here. The moved record describes how to undo it.
  await rename(join(state, RECORD), join(state, moves.aside, RECORD));
  await syncDirectory(state);
  await rm(join(state, moves.from), { recursive: true, force: true });
}

/**
 * Carries out a restore. The caller must hold the lock. Once the record is on disk, the next process finishes
 * the restore if this one dies. When a move fails, those before it are taken back. Throws `store_readonly` when the
 * file system refuses a move, also between two of them.
 */
export async function restore(mesh: string, moves: RestoreMoves): Promise<void> {
  const state = join(mesh, 'state');
  const order = ((await lastRestore(mesh))?.order ?? 0) + 1;
  await refuseOtherFileSystem(mesh, moves);
  const staged: string[] = [];
  for (const name of moves.replace) if (await exists(join(state, moves.from, name))) staged.push(name);
  await atomicWrite(join(state, RECORD), `${JSON.stringify({ ...moves, order }, null, 2)}\n`, 0o600);
  try {
    await make(mesh, moves);
  } catch (error) {
    // Something else is where this restore sets content aside: taking back would move it over what is in place.
    if (error instanceof MeshError) throw error;
    await takeBack(mesh, moves, staged).catch(() => {
      throw error;
    });
    if (isDiskFull(error)) throw error;
    throw new MeshError(
      'store_readonly',
      `The content cannot be moved into place (${getErrorMessage(error)}): nothing was changed. Mend that and try again.`,
      { cause: error },
    );
  }
  await finish(mesh, moves);
}

/**
 * Finishes an interrupted restore, if there is one. Returns whether there was one. Throws `in_flight` while
 * another process is restoring.
 */
export async function finishRestore(mesh: string): Promise<boolean> {
  if (!(await isDecidedOn(mesh))) return false;
  const unlock = lockRestore(mesh);
  try {
    const moves = await readRecord(join(mesh, 'state', RECORD));
    if (moves) {
      await make(mesh, moves);
      await finish(mesh, moves);
    }
    return moves !== undefined;
  } catch (error) {
    if (error instanceof MeshError) throw error;
    throw new MeshError(
      'store_readonly',
      `A restore that was cut off cannot be finished (${getErrorMessage(error)}): mend that and start again.`,
    );
  } finally {
    unlock();
  }
}

/** Returns the last finished restore, the one that can be undone. */
async function lastRestore(mesh: string): Promise<RestoreMoves | undefined> {
  const state = join(mesh, 'state');
  let last: RestoreMoves | undefined;
  for (const aside of (await readdir(state)).filter((name) => ASIDE.test(name)).sort()) {
    const one = await readRecord(join(state, aside, RECORD));
    if (one && (one.order ?? 0) >= (last?.order ?? 0)) last = { ...one, aside };
  }
  return last;
}

/** Returns the moves that put back what the last restore moved aside; undefined when there was no restore. */
export async function undoingMoves(mesh: string, aside: string): Promise<RestoreMoves | undefined> {
  const last = await lastRestore(mesh);
  if (!last) return undefined;
  const moves: RestoreMoves = { from: last.aside, aside, replace: [], remove: [] };
  for (const name of [...last.replace, ...last.remove])
    moves[(await exists(join(mesh, 'state', last.aside, name))) ? 'replace' : 'remove'].push(name);
  return moves;
}
