import { readdirSync, readFileSync } from 'node:fs';
import { systemCode } from '../../lib/errors.js';
import { bootOfDarwin, startOf } from './darwin-processes.js';

/**
 * The environment variable that every process of a run inherits, whatever group or session it moves to. It
 * holds the run id and no secret.
 */
export const RUN_VARIABLE = 'MESHD_RUN';

interface ProcessRow {
  pid: number;
  pgid: number;
  /** Clock ticks since the machine booted. Together with the pid it identifies one process. */
  startTime: string;
  isDead: boolean;
}

/** Reads the process from `/proc`; undefined when it has ended or there is no `/proc`. */
function processRow(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may itself contain parentheses and spaces, so the fields
    // are counted from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, , pgid] = fields;
    const startTime = fields[19];
    if (state === undefined || pgid === undefined || startTime === undefined) return undefined;
    return { pid, pgid: Number(pgid), startTime, isDead: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}

/** Returns all processes in `/proc`; undefined where there is no `/proc`. */
function listPids(): number[] | undefined {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return undefined;
  }
}

function carries(pid: number, run: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`.includes(`\0${RUN_VARIABLE}=${run}\0`);
  } catch {
    // Ended, or owned by another user: not part of the run.
    return false;
  }
}

/**
 * Returns the start time of the process: in the system's clock ticks, on a Mac as a date; null where the system does
 * not provide it.
 */
export function getStartTime(pid: number): string | null {
  return process.platform === 'darwin' ? startOf(pid) : (processRow(pid)?.startTime ?? null);
}

/**
 * Returns the id of this boot of the machine, since start times count from boot; null where
 * the system does not provide it.
 */
export function bootId(): string | null {
  if (process.platform === 'darwin') return bootOfDarwin();
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return null;
  }
}

/**
 * Returns the living processes of a run: those in its group, and those that left the group but carry the run's variable
 * (agents start their shells in sessions of their own). Where there is no `/proc`, only the group is checked, and
 * represented by its leader's pid.
 */
export function listProcesses(pgid: number, run: string): { inGroup: number[]; strayed: number[] } {
  const pids = listPids();
  if (!pids) return { inGroup: hasGroup(pgid) ? [pgid] : [], strayed: [] };
  const inGroup: number[] = [];
  const strayed: number[] = [];
  for (const pid of pids) {
    const row = processRow(pid);
    if (!row || row.isDead) continue;
    if (row.pgid === pgid) inGroup.push(pid);
    else if (carries(pid, run)) strayed.push(pid);
  }
  return { inGroup, strayed };
}

/**
 * Reports whether the group belongs to the run: its leader's start time matches, or one of its
 * processes carries the run's variable.
 */
export function isGroupOfRun(pgid: number, startTime: string | null, run: string): boolean {
  if (startTime !== null && getStartTime(pgid) === startTime) return true;
  return listProcesses(pgid, run).inGroup.some((pid) => carries(pid, run));
}

function hasGroup(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** Sends `signal` to the group, if one is given, and to each of `pids`. Ended processes are ignored. */
export function signalAll(pgid: number | undefined, pids: readonly number[], signal: NodeJS.Signals): void {
  for (const target of pgid === undefined ? pids : [-pgid, ...pids]) {
    try {
      process.kill(target, signal);
    } catch {
      // Ended between the look-up and the signal.
    }
  }
}
