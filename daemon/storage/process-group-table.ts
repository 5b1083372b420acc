import { readdirSync, readFileSync } from 'node:fs';
import { systemCode } from '../lib/errors.js';

/** The variable that every process of a run inherits, whatever group or session it moves to. It names the run and holds no secret. */
export const RUN_VARIABLE = 'MESHD_RUN';

interface ProcessRow {
  pid: number;
  pgid: number;
  /** Clock ticks since the machine started; with the pid it names one process for good. */
  startTime: string;
  isDead: boolean;
}

/** What `/proc` says of a process; undefined when it is gone or there is no `/proc`. */
function processRow(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in brackets and may hold brackets and blanks itself: the fields are counted from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, , pgid] = fields;
    const startTime = fields[19];
    if (state === undefined || pgid === undefined || startTime === undefined) return undefined;
    return { pid, pgid: Number(pgid), startTime, isDead: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}

/** Every process that `/proc` shows; undefined where there is none. */
function allPids(): number[] | undefined {
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
    // Gone, or another user's: not one of ours.
    return false;
  }
}

/** When the process started, as the system counts it; null where the system does not say. */
export function startTimeOf(pid: number): string | null {
  return processRow(pid)?.startTime ?? null;
}

/** Names this start of the machine, since start times count from it; null where the system does not say. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return null;
  }
}

/**
 * The processes of a run that still live: those in its group, and those that left the group but carry the run's variable (agents start their
 * shells in sessions of their own). Where there is no `/proc` the group alone is asked, and given as its leader's pid.
 */
export function processesOf(pgid: number, run: string): { inGroup: number[]; strayed: number[] } {
  const pids = allPids();
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

/** Whether the group is the run's: its leader started when the run did, or one of it carries the run's variable. */
export function isGroupOfRun(pgid: number, startTime: string | null, run: string): boolean {
  if (startTime !== null && startTimeOf(pgid) === startTime) return true;
  return processesOf(pgid, run).inGroup.some((pid) => carries(pid, run));
}

function hasGroup(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** Sends `signal` to the group, if one is given, and to each of `pids`. What is gone already is passed over. */
export function signalAll(pgid: number | undefined, pids: readonly number[], signal: NodeJS.Signals): void {
  for (const target of pgid === undefined ? pids : [-pgid, ...pids]) {
    try {
      process.kill(target, signal);
    } catch {
      // Gone between looking and signalling.
    }
  }
}
