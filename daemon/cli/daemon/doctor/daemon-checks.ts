import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PORT } from '../../../contract/limits.js';
import type { DoctorCheck, DoctorReport } from '../../../contract/system.js';
import { findEntry, readPrivateSync } from '../../../private/private-file.js';
import { inState } from '../../../private/private-names.js';
import { CommandError } from '../../exit-codes.js';
import { findDaemonProgram, isReplaced } from '../installation.js';
import { findDaemon, readDaemonFile } from '../project.js';
import { about, type Finding, quoted } from './check.js';
import { findLockHolder, findPortOwner, formatPortOwner } from './port-owner.js';

/** The report of the daemon. `isRunning` is true when it has proven its identity, or is there and does not respond. */
interface DaemonFindings {
  isRunning: boolean;
  findings: readonly (Finding | DoctorCheck)[];
}

function rememberedPort(root: string): number {
  try {
    const port = Number(readPrivateSync(inState(join(root, '.mesh', 'state'), 'port')));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : DEFAULT_PORT;
  } catch {
    return DEFAULT_PORT;
  }
}

/** Checks whether the port is free for the next start. */
function checkPort(root: string): Finding {
  const { ok, warn } = about('port', 'Port');
  const port = rememberedPort(root);
  const owner = findPortOwner(port);
  if (owner === undefined) return ok(`${port} is free`);
  return warn(`${port} is taken by ${formatPortOwner(owner)}`, 'meshd up --port 0');
}

/** Explains why no daemon responds: none was started, one was killed, or one holds the store and cannot be reached. */
function explainAbsence(root: string): Finding {
  const { fail } = about('daemon', 'Daemon');
  const state = join(root, '.mesh', 'state');
  const holder = findLockHolder(join(state, 'mesh.db'));
  if (holder) {
    return fail(
      `${formatPortOwner(holder)} holds .mesh/state/mesh.db and does not answer: another daemon runs on this ` +
        'project, or hangs',
      `kill ${holder.pid} && meshd up`,
    );
  }
  const path = join(state, 'daemon.json');
  const file = readDaemonFile(root);
  if (!file) return fail('not running', 'meshd up');
  return fail(`not running; ${path} was left by one that was killed (pid ${file.pid})`, 'meshd up', () =>
    dropLeftover(path),
  );
}

function dropLeftover(path: string): string {
  rmSync(path, { force: true });
  return `removed ${path}, which a killed daemon had left`;
}

/** Requests the daemon's own report, or explains why there is none. */
export async function askDaemon(root: string, entry: string): Promise<DaemonFindings> {
  const { ok, warn, fail } = about('daemon', 'Daemon');
  try {
    const daemon = await findDaemon(root);
    if (!daemon) return { isRunning: false, findings: [explainAbsence(root), checkPort(root)] };
    const hasOther = isReplaced(daemon.file, () => findDaemonProgram(entry));
    const found = `pid ${daemon.health.pid} at ${daemon.file.address}`;
    const { checks } = await daemon.client.get<DoctorReport>('/doctor', { timeoutMs: 60_000 });
    return {
      isRunning: true,
      findings: [
        hasOther
          ? warn(`${found} runs another build of meshd than the one that is installed`, 'meshd down && meshd up')
          : ok(found),
        ...checks.filter(({ id }) => id !== 'daemon'),
      ],
    };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (error.code === 'unreachable')
      return { isRunning: true, findings: [fail(error.message, 'tail .mesh/state/daemon.log')] };
    const path = join(root, '.mesh', 'state', 'daemon.json');
    const isLoose = findEntry(path)?.isFile() !== true || error.message.includes(path);
    return {
      isRunning: false,
      findings: [fail(error.message, isLoose ? `rm ${quoted(path)} && meshd up` : 'meshd up'), checkPort(root)],
    };
  }
}
