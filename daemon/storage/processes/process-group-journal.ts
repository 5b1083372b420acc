import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivate } from '../../private/private-file.js';
import { inState } from '../../private/private-names.js';
import { atomicWrite, durableUnlink, ensureDirectory } from '../files/atomic-write.js';
import { bootId, isGroupOfRun, listProcesses, signalAll } from './process-group-table.js';

/**
 * The record that is written before a run counts as started, so that the next daemon can find the
 * processes this one left running.
 */
interface JournalEntry {
  run: string;
  pid: number;
  pgid: number;
  start_time: string | null;
  boot_id: string | null;
}

const NAME = /^[1-9]\d{0,9}$/;

/** One small file per run in progress, in `runs/` of the state folder. */
export class ProcessGroupJournal {
  private readonly folder: string;

  constructor(stateFolder: string) {
    this.folder = inState(stateFolder, 'runs');
  }

  /** Writes the entry durably (0600 in 0700). */
  async write(entry: JournalEntry): Promise<void> {
    await ensureDirectory(this.folder, 0o700);
    await atomicWrite(join(this.folder, String(entry.pgid)), `${JSON.stringify(entry)}\n`, 0o600);
  }

  async remove(pgid: number): Promise<void> {
    await durableUnlink(join(this.folder, String(pgid)));
  }

  /**
   * Kills the processes that earlier daemons left running, and no others. A group is killed only when its leader has
   * the recorded start time, or when one of its processes carries the run's variable. A process outside the group is
   * killed only when it carries the variable. Returns the number of runs that it ended.
   */
  async reap(): Promise<number> {
    let reaped = 0;
    const machine = bootId();
    for (const name of await readdir(this.folder).catch(() => [])) {
      if (!NAME.test(name)) continue;
      const entry = readEntry((await readPrivate(join(this.folder, name)).catch(() => undefined)) ?? '');
      if (entry?.pgid === Number(name) && entry.boot_id === machine) reaped += Number(killRun(entry));
      await this.remove(Number(name));
    }
    return reaped;
  }
}

function readEntry(text: string): JournalEntry | undefined {
  try {
    const { run, pid, pgid, start_time, boot_id } = JSON.parse(text) as Record<string, unknown>;
    // A process group id of 0 or 1 would address the daemon's own group or every process.
    if (typeof run !== 'string' || run === '' || !Number.isInteger(pid) || !Number.isInteger(pgid) || Number(pgid) <= 1)
      return undefined;
    return {
      run,
      pid: Number(pid),
      pgid: Number(pgid),
      start_time: typeof start_time === 'string' ? start_time : null,
      boot_id: typeof boot_id === 'string' ? boot_id : null,
    };
  } catch {
    // Truncated by a crash, or not written by a daemon: it identifies no run, so nothing is killed.
    return undefined;
  }
}

function killRun({ pgid, start_time, run }: JournalEntry): boolean {
  const { inGroup, strayed } = listProcesses(pgid, run);
  const isOurs = inGroup.length > 0 && isGroupOfRun(pgid, start_time, run);
  signalAll(isOurs ? pgid : undefined, strayed, 'SIGKILL');
  return isOurs || strayed.length > 0;
}
