import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DaemonFile } from '../../contract/daemon-file.js';
import type { Health } from '../../contract/system.js';
import { isValidProof, operatorProof, parseDaemonFile } from '../../lib/crypto/daemon-proof.js';
import { isPidTaken } from '../../lib/pid-taken.js';
import { findLockHolderPid } from '../../private/lock-holder.js';
import { findEntry, readPrivateSync } from '../../private/private-file.js';
import { inState } from '../../private/private-names.js';
import { StateOwner } from '../../private/state-owner.js';
import { userHome, userStateFolder } from '../environment.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { HttpClient } from '../http-client.js';

const PROOF_TIMEOUT_MS = 3_000;

/** A daemon that has proven to be that of this project. */
export interface RunningDaemon {
  file: DaemonFile;
  health: Health;
  client: HttpClient;
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Returns `from` or the nearest folder above it. The folder of all projects, which is that of the user or `/`, is only
 * looked at where the walk begins there.
 */
function nearest(from: string, home: string | undefined, isIt: (folder: string) => boolean): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const isOfAll = folder === home || folder === dirname(folder);
    if ((folder === from || !isOfAll) && isIt(folder)) return folder;
    if (isOfAll) return undefined;
  }
}

/**
 * Throws `forbidden` when another user made the `.mesh` of `root`, such as one in /tmp: its members would act as this
 * user. For root the owner of the folder where the walk began is as good, as in a container.
 */
function refuseMeshOfOthers(root: string, start: string): void {
  const uid = process.getuid?.();
  const owner = statSync(join(root, '.mesh'), { throwIfNoEntry: false })?.uid;
  if (uid === undefined || owner === undefined || owner === uid || owner === 0) return;
  if (uid === 0 && owner === statSync(start).uid) return;
  throw new CommandError(
    EXIT.refused,
    `${join(root, '.mesh')} belongs to another user (uid ${owner}). Only if you trust its members, name it with ` +
      `--root ${root}; for a project of your own below it, --root .`,
    'forbidden',
  );
}

/** The folder of this user with links resolved; undefined without one. */
function findHome(): string | undefined {
  const home = userHome();
  return home !== undefined && isDirectory(home) ? realpathSync(home) : undefined;
}

/**
 * Returns the root of the project: `given` if there is one, else the nearest ancestor folder with a `.mesh`, else the
 * top level of git, else `from` itself. Throws `bad_root` when `given` is not a folder, and `forbidden` for a `.mesh`
 * of another user that was not named.
 */
export function findRoot(from: string, given?: string): string {
  if (given !== undefined) {
    const root = resolve(from, given);
    if (!isDirectory(root)) throw new CommandError(EXIT.usage, `--root ${given} is not a folder.`, 'bad_root');
    return realpathSync(root);
  }
  const start = realpathSync(from);
  const hasMesh = (folder: string) => isDirectory(join(folder, '.mesh'));
  const hasGit = (folder: string) => existsSync(join(folder, '.git'));
  const home = findHome();
  const root = nearest(start, home, hasMesh) ?? nearest(start, home, hasGit) ?? start;
  refuseMeshOfOthers(root, start);
  return root;
}

/**
 * Whether this machine made the state of the project at `root`: it is recorded in this user's state folder, or the
 * kernel reports that a process of this user holds its lock (the environment may lack the variable that names the
 * folder). For a user without a home it is true, because no record can exist.
 */
export function isOwnState(root: string): boolean {
  const owner = new StateOwner(userStateFolder());
  if (!owner.hasMemory || owner.judge(root) === 'own') return true;
  return findLockHolderPid(inState(join(root, '.mesh', 'state'), 'mesh.db')) !== undefined;
}

/**
 * Reads the file in which the project's daemon describes itself. Returns undefined when there is none or the state is
 * not this machine's. Throws `forbidden` for a file that another user owns or that others can read: a cloned repository
 * could contain it. A file that names another host counts as none.
 */
export function readDaemonFile(root: string): DaemonFile | undefined {
  const path = inState(join(root, '.mesh', 'state'), 'daemon.json');
  const found = findEntry(path);
  if (!found || !isOwnState(root)) return undefined;
  const isOurs = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
  if (!found.isFile() || !isOurs) {
    throw new CommandError(
      EXIT.refused,
      `${path} was not written by your daemon (it must be yours, mode 0600): remove it.`,
      'forbidden',
    );
  }
  const text = readPrivateSync(path);
  return text === undefined ? undefined : parseDaemonFile(text);
}

/**
 * Finds the project's running daemon. Returns undefined when there is no daemon file or nothing listens at its address.
 * Only a nonce is sent before the listener has proven possession of the secret. Throws `forbidden` when it fails to:
 * another program listens on the port. Throws `unreachable`, with `timed_out` or `broken_off` as `reason`, when a
 * daemon runs and does not respond.
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
    if (error instanceof CommandError && error.exit === EXIT.unreachable) return explainSilence(root, file, error);
  }
  if (!health || !isValidProof(file.secret, nonce, health.proof)) {
    throw new CommandError(
      EXIT.refused,
      `Another program answers at ${file.address} in the place of this project's daemon; nothing was sent to ` +
        'it. Start the daemon anew with `meshd up`.',
      'forbidden',
    );
  }
  return { file, health, client: new HttpClient(file.address, operatorProof(file.secret)) };
}

/**
 * Returns undefined when the daemon of the file is gone. Throws `unreachable` with advice when it runs and does not
 * respond.
 */
function explainSilence(root: string, { pid, address }: DaemonFile, { message, details }: CommandError): undefined {
  const { reason } = details;
  if (reason === 'refused' || !isPidTaken(pid)) return undefined;
  const next =
    reason === 'timed_out'
      ? `try again, and if it stays silent read .mesh/state/daemon.log and end process ${pid}`
      : 'more connections are open than it may have, or it is stopping; close some, try again, or start it with ' +
        'a higher `ulimit -n`';
  throw new CommandError(
    EXIT.unreachable,
    `A daemon runs for ${root} (pid ${pid}) and gave no answer. ${message.replace(/\.$/, '')}: ${next}.`,
    'unreachable',
    { reason, pid, address },
  );
}

/** The message for a project whose daemon does not run. */
export function explainAbsence(root: string): string {
  const file = readDaemonFile(root);
  const where = file ? `: nothing listens at ${file.address}, where the last one did` : '';
  return `No daemon runs for ${root}${where}: start it with \`meshd up\`.`;
}

/** Returns the project's running daemon. Throws `unreachable` with advice when there is none. */
export async function getDaemon(root: string): Promise<RunningDaemon> {
  const daemon = await findDaemon(root);
  if (!daemon) throw new CommandError(EXIT.unreachable, explainAbsence(root), 'unreachable');
  return daemon;
}
