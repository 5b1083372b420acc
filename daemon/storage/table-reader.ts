import { Worker } from 'node:worker_threads';
import type { Clock } from '../lib/clock.js';
import { type Reading, readOwners } from './connection-table.js';

/** Where a reading takes longer, the event loop makes none that a thread can make: on large machines the kernel's table is large, and so is its reading. */
const OWN_MS = 2;
/** Readings that the event loop makes itself before they are a thread's, and how many it may make again each second. */
const OWN_BURST = 8;
const OWN_PER_SECOND = 2;
/** A thread that nobody needed for so long ends, unless readings take long here: it takes 10 MB. */
const IDLE_MS = 60_000;
/** After a reading so many times as long is left to everything else: of the event loop, and of the processors. */
const REST = 4;
const ASIDE_REST = 1;

type Wanted = () => ReadonlySet<string>;

/**
 * Reads the kernel's table of connections, one reading at a time. A few are made in the event loop, which each holds as long as it takes; where that is long, or many are
 * needed, because many connections come, a thread makes them, which ends when it is not needed any more.
 */
export class TableReader {
  private allowance = OWN_BURST;
  private allowedAtMs = 0;
  private restsUntilMs = 0;
  private lastMs = 0;
  private thread: Worker | undefined;
  private callOffEnd: (() => void) | undefined;

  constructor(
    /** The thread's own bundle; without it every reading is the event loop's. */
    private readonly entry: URL | undefined,
    private readonly clock: Pick<Clock, 'elapsed' | 'after'>,
    private readonly readNow: (wanted: ReadonlySet<string>) => Reading = readOwners,
  ) {}

  /** Reads at once, in the event loop. */
  now(wanted: ReadonlySet<string>): Reading {
    const startedMs = this.clock.elapsed();
    const reading = this.readNow(wanted);
    this.rest(startedMs, REST);
    // Its start holds the loop itself: better now than when many connections come.
    if (this.entry !== undefined && this.isSlow) this.thread ??= this.start(this.entry);
    return reading;
  }

  private get isSlow(): boolean {
    return this.lastMs > OWN_MS;
  }

  /** Calls `read` with what a reading found that began after this call; `wanted` is asked when it begins. To be called again once it has ended. */
  soon(wanted: Wanted, read: (reading: Reading) => void): void {
    const { entry } = this;
    const isAside = entry !== undefined && (this.thread !== undefined || !this.isAllowed());
    const begin = isAside ? () => this.aside(entry, wanted, read) : () => read(this.now(wanted()));
    const restMs = this.restsUntilMs - this.clock.elapsed();
    if (restMs > 0) this.clock.after(restMs, begin);
    else setImmediate(begin);
  }

  /** Ends the thread. */
  close(): void {
    this.callOffEnd?.();
    void this.thread?.terminate();
    this.thread = undefined;
  }

  private rest(startedMs: number, times: number): void {
    const endedMs = this.clock.elapsed();
    this.lastMs = endedMs - startedMs;
    this.restsUntilMs = endedMs + this.lastMs * times;
  }

  private isAllowed(): boolean {
    if (this.isSlow) return false;
    const nowMs = this.clock.elapsed();
    const earned = ((nowMs - this.allowedAtMs) / 1_000) * OWN_PER_SECOND;
    this.allowance = Math.min(OWN_BURST, this.allowance + earned);
    this.allowedAtMs = nowMs;
    if (this.allowance < 1) return false;
    this.allowance -= 1;
    return true;
  }

  private aside(entry: URL, wanted: Wanted, read: (reading: Reading) => void): void {
    this.callOffEnd?.();
    this.callOffEnd = undefined;
    this.thread ??= this.start(entry);
    const { thread } = this;
    const startedMs = this.clock.elapsed();
    const end = (reading: Reading) => {
      this.rest(startedMs, ASIDE_REST);
      thread.off('message', end).off('exit', fail);
      if (thread === this.thread && !this.isSlow) this.callOffEnd = this.clock.after(IDLE_MS, () => this.close());
      read(reading);
    };
    // A thread that cannot be had must lock nobody out.
    const fail = () => {
      if (thread === this.thread) this.thread = undefined;
      end(this.now(wanted()));
    };
    thread.on('message', end).once('exit', fail);
    thread.postMessage(wanted());
  }

  private start(entry: URL): Worker {
    const thread = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: 64 } });
    // It exits afterwards.
    thread.on('error', () => undefined);
    thread.unref();
    return thread;
  }
}
