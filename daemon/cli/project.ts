import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DaemonFile } from '../contract/daemon-file.js';
import type { Health } from '../contract/system.js';
import { isProofOf, operatorProof, parseDaemonFile } from '../lib/daemon-proof.js';
import { isPidTaken } from '../lib/pid-taken.js';
import { findLockHolderPid } from '../private/lock-holder.js';
import { findEntry, readPrivateSync } from '../private/private-file.js';
import { inState } from '../private/private-names.js';
import { StateOwner } from '../private/state-owner.js';
import { userStateFolder } from './environment.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { HttpClient } from './http-client.js';

const PROOF_TIMEOUT_MS = 3_000;

/** A daemon that has proven to be this project's own. */
export interface RunningDaemon {
  file: DaemonFile;
  health: Health;
  client: HttpClient;
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function nearest(from: string, isIt: (folder: string) => boolean): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (isIt(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * The project's root: `given` if there is one, else the nearest folder upwards with a `.mesh`, else git's top level, else `from` itself.
 * Throws `bad_root` when `given` is not a folder.
 */
export function findRoot(from: string, given?: string): string {
  if (given !== undefined) {
    const root = resolve(from, given);
    if (!isDirectory(root)) throw new CommandFailure(EXIT.usage, `--root ${given} is not a folder.`, 'bad_root');
    return realpathSync(root);
  }
  const start = realpathSync(from);
  const hasMesh = (folder: string) => isDirectory(join(folder, '.mesh'));
  const hasGit = (folder: string) => existsSync(join(folder, '.git'));
  return nearest(start, hasMesh) ?? nearest(start, hasGit) ?? start;
}

/**
 * Whether this machine made the state of the project at `root`: this user's folder knows it, or the kernel says that a process of this user holds it (a
 * program that starts us may leave out the variable that names the folder). A user without a home has nothing that could know.
 */
export function isOwnState(root: string): boolean {
  const owner = new StateOwner(userStateFolder());
  if (!owner.hasMemory || owner.judge(root) === 'own') return true;
  return findLockHolderPid(inState(join(root, '.mesh', 'state'), 'mesh.db')) !== undefined;
}

/**
 * What the project's daemon says of itself, or undefined when none has left word. A file that another user owns, that others can read, or
 * that names another machine is not the daemon's: a cloned repository could carry it.
 */
export function readDaemonFile(root: string): DaemonFile | undefined {
  const path = inState(join(root, '.mesh', 'state'), 'daemon.json');
  const found = findEntry(path);
  if (!found || !isOwnState(root)) return undefined;
  const isOurs = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
  if (!found.isFile() || !isOurs) {
    throw new CommandFailure(
      EXIT.refused,
      `${path} was not written by your daemon (it must be yours, mode 0600): remove it.`,
      'forbidden',
    );
  }
  const text = readPrivateSync(path);
  return text === undefined ? undefined : parseDaemonFile(text);
}

/**
 * The project's running daemon, or undefined when none runs: none has left word, or nothing listens where it did. Nothing but a nonce is sent before the listener has
 * proven that it holds the secret; a listener that has not is refused with `forbidden`: another program sits on the port. One that is there and does
 * not answer is `unreachable`, with `timed_out` or `broken_off` as `reason`.
 */
export async function findDaemon(root: string, timeoutMs = PROOF_TIMEOUT_MS): Promise<RunningDaemon | undefined> {
  const file = readDaemonFile(root);
  if (!file) return undefined;
  const client = new HttpClient(file.address);
  const nonce = randomBytes(16).toString('base64url');
  let health: Health | undefined;
  try {
    health = await client.get<Health>(`/health?nonce=${nonce}`, { timeoutMs });
  } catch (error) {
    if (error instanceof CommandFailure && error.exit === EXIT.unreachable) return explainSilence(root, file, error);
  }
  if (!health || !isProofOf(file.secret, nonce, health.proof)) {
    throw new CommandFailure(
      EXIT.refused,
      `Another program answers at ${file.address} in the place of this project's daemon; nothing was sent to it. Start the daemon anew with \`meshd up\`.`,
      'forbidden',
    );
  }
  return { file, health, client: new HttpClient(file.address, operatorProof(file.secret)) };
}

/** Undefined when the daemon that left word is gone; throws `unreachable` that says what to do when it is there and does not answer. */
function explainSilence(root: string, { pid, address }: DaemonFile, { message, details }: CommandFailure): undefined {
  const { reason } = details;
  if (reason === 'refused' || !isPidTaken(pid)) return undefined;
  const next =
    reason === 'timed_out'
      ? `try again, and if it stays silent read .mesh/state/daemon.log and end process ${pid}`
      : 'more connections are open than it may have, or it is stopping; close some, try again, or start it with a higher `ulimit -n`';
  throw new CommandFailure(
    EXIT.unreachable,
    `A daemon runs for ${root} (pid ${pid}) and gave no answer. ${message.replace(/\.$/, '')}: ${next}.`,
    'unreachable',
    { reason, pid, address },
  );
}

/** The sentence for a project whose daemon does not run. */
export function explainAbsence(root: string): string {
  const file = readDaemonFile(root);
  const where = file ? `: nothing listens at ${file.address}, where the last one did` : '';
  return `No daemon runs for ${root}${where}: start it with \`meshd up\`.`;
}

/** The project's running daemon; throws `unreachable` with what to do when there is none. */
export async function getDaemon(root: string): Promise<RunningDaemon> {
  const daemon = await findDaemon(root);
  if (!daemon) throw new CommandFailure(EXIT.unreachable, explainAbsence(root), 'unreachable');
  return daemon;
}
