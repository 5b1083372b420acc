import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SetAsideReason } from '../contract/foreign-state.js';
import { MeshError, systemCode } from '../lib/errors.js';
import { fileStamp } from '../lib/time/clock.js';
import { findLockHolderPid, listLockHolderPids } from '../private/lock-holder.js';
import { findEntry } from '../private/private-file.js';
import { inState } from '../private/private-names.js';
import { holdsState, type StateOwner } from '../private/state-owner.js';
import { atomicWrite, ensureDirectory, syncDirectory } from './files/atomic-write.js';
import type { MeshFolder } from './mesh-folder.js';

/** State that was moved aside as a whole, without being read. */
export interface SetAside {
  /** Relative to the project. */
  folder: string;
  reason: SetAsideReason;
}

interface Claim {
  owner: StateOwner;
  /** The operator declares the present state to be their own, as containers without a persistent home folder do. */
  isVouchedFor: boolean;
  /** Returns the files of state and credentials that git tracks. */
  tracked: () => Promise<readonly string[]>;
  nowMs: number;
}

/** Creates a new folder for what is moved aside. Returns its name. */
async function newFolder(mesh: string, nowMs: number): Promise<string> {
  const name = `foreign-${fileStamp(nowMs)}`;
  for (let count = 1; ; count += 1) {
    const one = count === 1 ? name : `${name}-${count}`;
    try {
      await mkdir(join(mesh, one), { mode: 0o700 });
      return one;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Moves both folders aside, credentials first. The id that identifies the owner of the state moves last, so that the
 * operation is repeated after a kill in between.
 */
async function setAside(folder: MeshFolder, reason: SetAsideReason, nowMs: number): Promise<SetAside> {
  const name = await newFolder(folder.path, nowMs);
  await atomicWrite(join(folder.path, name, '.gitignore'), '*\n', 0o600);
  for (const part of ['credentials', 'state']) {
    await rename(join(folder.path, part), join(folder.path, name, part)).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
    });
  }
  await syncDirectory(join(folder.path, name));
  await syncDirectory(folder.path);
  return { folder: `.mesh/${name}`, reason };
}

/**
 * Ensures that everything in `.mesh/state` and `.mesh/credentials` belongs to this machine before any of it is read.
 * State of another owner is moved aside as a whole, and a fresh state begins. Returns what was moved aside, or
 * undefined. Throws `forbidden` when the ownership of the state cannot be recorded and the operator does not vouch
 * for it, since the next start could not distinguish it from foreign state, and when one of the two folders belongs to
 * another user of this machine. Throws `in_flight` while a daemon of any user holds state whose owner is not known.
 */
export async function claimState(folder: MeshFolder, claim: Claim): Promise<SetAside | undefined> {
  const { owner, isVouchedFor, nowMs } = claim;
  await folder.refuseLinks();
  refuseFoldersOfOthers(folder);
  const reason = await findReason(folder, claim);
  if (reason === 'unknown' && !owner.hasMemory) throw noMemory('this user has no home folder');
  if (reason !== undefined) refuseWhileHeld(folder);
  const aside = reason === undefined ? undefined : await setAside(folder, reason, nowMs);
  await ensureDirectory(folder.path, 'usual');
  await ensureDirectory(folder.state, 0o700);
  const problem = owner.claim(folder.root, isVouchedFor);
  if (problem !== undefined && !isVouchedFor && owner.hasMemory) throw noMemory(problem);
  return aside;
}

/**
 * As root or in a container a daemon could move the state of another user's running daemon, whose lock the system may
 * not show. What a clone or an archive brings belongs to the user who unpacked it.
 */
function refuseFoldersOfOthers({ state, credentials }: MeshFolder): void {
  const uid = process.getuid?.();
  for (const path of [state, credentials]) {
    const found = findEntry(path);
    if (uid === undefined || !found || found.uid === uid) continue;
    throw new MeshError(
      'forbidden',
      `${path} belongs to another user (uid ${found.uid}), whose daemon may be running: run meshd as that user. To ` +
        'take the state over, stop that daemon, run `sudo chown -R "$(id -u)" .mesh` in the project, and start with ' +
        '--adopt.',
    );
  }
}

/**
 * A daemon of a version without state ids, or of the user whose folders these were, may still run. Moving its state
 * aside would lose the writes that it acknowledges.
 */
function refuseWhileHeld(folder: MeshFolder): void {
  const path = inState(folder.state, 'mesh.db');
  const pid = findLockHolderPid(path);
  if (pid !== undefined)
    throw new MeshError(
      'in_flight',
      `An earlier daemon (pid ${pid}) still runs on this project: stop it with \`meshd down\`, then start again.`,
    );
  const [other] = listLockHolderPids(path);
  if (other !== undefined)
    throw new MeshError(
      'in_flight',
      `A process of another user (pid ${other}) holds the state of this project: have it ended, then start again.`,
    );
}

async function findReason(folder: MeshFolder, { owner, isVouchedFor, tracked }: Claim) {
  if (!holdsState(folder.root)) return undefined;
  if ((await tracked()).length > 0) return 'tracked';
  const ownership = owner.judge(folder.root);
  return ownership === 'own' || isVouchedFor ? undefined : ownership;
}

const noMemory = (why: string) =>
  new MeshError(
    'forbidden',
    `Which state is your own cannot be remembered (${why}): set HOME or XDG_STATE_HOME to a folder that you ` +
      'can write, or start with --adopt when everything in .mesh/state and .mesh/credentials is yours.',
  );
