import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type SQLite from 'better-sqlite3';
import type { BackupFile, BackupManifest, Restored } from '../contract/backups.js';
import { MeshError } from '../lib/errors.js';
import { fileStamp } from '../lib/time/clock.js';
import { stateFolder, type Variables } from '../lib/user-folders.js';
import { StateOwner } from '../private/state-owner.js';
import { UNTRACK_COMMAND } from '../private/tracked-path.js';
import { claimState } from '../storage/claim-state.js';
import { inspectStore } from '../storage/database/store-schema.js';
import { DatabaseBusyError, isDamage, openExclusively } from '../storage/files/open-exclusively.js';
import { describeSetAside } from '../storage/foreign-folders.js';
import { TrackedSecrets } from '../storage/git/tracked-secrets.js';
import { MeshFolder } from '../storage/mesh-folder.js';
import {
  finishRestore,
  isDecidedOn,
  lockRestore,
  type RestoreMoves,
  restore,
  undoingMoves,
} from '../storage/restore-moves.js';
import { DATABASE, getMoveRoot, replaceable } from './backup-files.js';
import { readBackup } from './read-backup.js';

/** Bytes of the disk that must remain free beside the unpacked files. */
const SPARE_BYTES = 16 * 1024 * 1024;

export interface RestoreOrder {
  /** The project's folder. */
  root: string;
  /** The environment of the process: it determines this user's folders, and git receives the permitted part of it. */
  environment: Variables;
  nowMs: number;
  onStep: (step: string) => void;
}

/**
 * Keeps daemons off the project until it is closed, and checkpoints the log into the database that is moved aside.
 * Returns undefined for a damaged store: it cannot be locked, but no daemon writes to it either.
 */
function holdStore(path: string, size: number): SQLite.Database | undefined {
  if (size === 0) return undefined;
  try {
    const store = openExclusively(path);
    store.pragma('journal_mode = DELETE');
    return store;
  } catch (error) {
    if (isDamage(error)) return undefined;
    if (error instanceof DatabaseBusyError)
      throw new MeshError('in_flight', 'A daemon runs on this project: stop it first, with `meshd down`.');
    throw error;
  }
}

/**
 * Runs `change` on the project's `.mesh` while no daemon and no other restore can run. Throws `forbidden` while git
 * tracks state or credentials, and `in_flight` while a daemon or another restore runs.
 */
export async function alone<T>(
  { root, environment, nowMs, onStep }: RestoreOrder,
  change: (folder: MeshFolder, aside: string) => Promise<T>,
): Promise<T> {
  const folder = new MeshFolder(root);
  const tracked = await new TrackedSecrets(root, environment).paths();
  if (tracked.length > 0) throw trackedState(tracked);
  const owner = new StateOwner(stateFolder(environment, process.platform));
  const isVouchedFor = !owner.hasMemory;
  const setAside = await claimState(folder, { owner, isVouchedFor, tracked: async () => tracked, nowMs });
  if (setAside) onStep(describeSetAside(setAside));
  await folder.prepare();
  await finishRestore(folder.path);
  const unlock = lockRestore(folder.path);
  try {
    const path = join(folder.path, DATABASE);
    const found = await lstat(path).catch(() => undefined);
    const held = found && holdStore(path, found.size);
    try {
      const result = await change(folder, `before-restore-${fileStamp(nowMs)}-${randomBytes(2).toString('hex')}`);
      // The restored content may lack the ignore files that keep secrets out of git.
      await folder.prepare();
      return result;
    } finally {
      held?.close();
    }
  } finally {
    unlock();
  }
}

const trackedState = (paths: readonly string[]) =>
  new MeshError(
    'forbidden',
    `Git tracks ${paths.length === 1 ? paths[0] : `${paths.length} files`} of .mesh/credentials or ` +
      `.mesh/state, which a repository can therefore change: run \`${UNTRACK_COMMAND}\`, commit, and try again.`,
  );

async function refuseWithoutSpace(folder: string, { files }: BackupManifest): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = files.reduce((sum, { bytes }) => sum + bytes, SPARE_BYTES);
  if (needed <= bavail * bsize) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  throw new MeshError(
    'no_space',
    `The backup takes ${megabytes(needed)} and the disk has ${megabytes(bavail * bsize)}: free some space.`,
  );
}

/** Writes a file of the backup below `staged`, durably: private, or with the mode that the umask leaves. */
async function unpack(staged: string, { path }: BackupFile, contents: AsyncIterable<Buffer>): Promise<void> {
  const isOwn = /^(?:state|credentials)\//.test(path);
  await mkdir(dirname(join(staged, path)), { recursive: true, mode: isOwn ? 0o700 : 0o777 });
  const file = await open(join(staged, path), 'wx', isOwn ? 0o600 : 0o666);
  try {
    if (isOwn) await file.chmod(0o600);
    for await (const portion of contents) await file.write(portion);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Unpacks the backup into `staged` and checks its database. */
async function stage(file: string, staged: string): Promise<BackupManifest> {
  await mkdir(staged, { mode: 0o700 });
  const manifest = await readBackup(
    file,
    (entry, contents) => unpack(staged, entry, contents),
    (declared) => refuseWithoutSpace(staged, declared),
  );
  if (manifest.schema !== null && inspectStore(join(staged, DATABASE)) !== manifest.schema)
    throw new MeshError(
      'bad_request',
      'This is no whole backup of meshd: its database is not of the schema that it says.',
    );
  return manifest;
}

async function movesTo(
  mesh: string,
  from: string,
  aside: string,
  { files, credentials }: BackupManifest,
): Promise<RestoreMoves> {
  const incoming = [...new Set(files.map(({ path }) => getMoveRoot(path)))].filter((name) => name !== DATABASE);
  // The present database is moved aside last.
  const replace = files.some(({ path }) => path === DATABASE) ? [...incoming, DATABASE] : incoming;
  // The file that keeps secrets out of git exists at every moment.
  const remove = (await replaceable(mesh, credentials)).filter(
    (name) => !replace.includes(name) && name !== '.gitignore',
  );
  return { from, aside, replace, remove };
}

/**
 * Replaces the project's `.mesh` with a backup. The whole file is checked before anything is changed, the present
 * content is moved aside, and an interrupted restore is finished by the next start. Tokens and keys stay unchanged
 * unless the backup contains some. Throws `bad_request` for an invalid or incomplete backup, `in_flight` while a daemon
 * runs, and `store_readonly` for a database that is damaged or of a newer version.
 */
export async function restoreBackup(file: string, order: RestoreOrder): Promise<Restored> {
  const { onStep } = order;
  onStep('Checking the backup.');
  await readBackup(file, async () => undefined);
  return await alone(order, async ({ path: mesh, state }, aside) => {
    const from = `restore-${randomBytes(8).toString('hex')}`;
    const staged = join(state, from);
    onStep('Unpacking it.');
    try {
      const manifest = await stage(file, staged);
      onStep('Putting it in place.');
      await restore(mesh, await movesTo(mesh, from, aside, manifest));
      const { meshd, project, made_at, schema, credentials } = manifest;
      return {
        backup: { meshd, project, made_at, schema, credentials },
        files: manifest.files.length,
        aside: join(state, aside),
      };
    } catch (error) {
      // After the restore is committed, the staged files are needed to finish it.
      if (!(await isDecidedOn(mesh))) await rm(staged, { recursive: true, force: true });
      throw error;
    }
  });
}

/**
 * Puts back what the last restore moved aside. A second call reverts that. Throws `not_found`
 * when nothing was moved aside.
 */
export async function undoRestore(order: RestoreOrder): Promise<Restored> {
  const { onStep } = order;
  return await alone(order, async ({ path: mesh, state }, aside) => {
    const moves = await undoingMoves(mesh, aside);
    if (!moves) throw new MeshError('not_found', 'Nothing was restored here: there is nothing to put back.');
    onStep('Putting back what was there.');
    await restore(mesh, moves);
    return { backup: null, files: moves.replace.length, aside: join(state, aside) };
  });
}
