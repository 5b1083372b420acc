import { Worker } from 'node:worker_threads';
import type { Clock } from '../../lib/time/clock.js';
import { type Reading, readOwners } from '../peers/connection-table.js';

/**
 * When a reading takes longer than this, a worker thread makes the later ones where possible. On large machines the
 * kernel's table is large, and reading it would block the event loop.
 */
const OWN_MS = 2;
/**
 * The number of readings that the event loop makes itself before they move to a thread, and
 * how many it regains per second.
 */
const OWN_BURST = 8;
const OWN_PER_SECOND = 2;
/** An unused thread ends after this time, unless readings are slow on this machine. A thread takes 10 MB. */
const IDLE_MS = 60_000;
/**
 * Pause after a reading as a multiple of its duration: for readings on the event loop, and for readings on the thread.
 */
const REST = 4;
const ASIDE_REST = 1;

type Wanted = () => ReadonlySet<string>;

/**
 * Reads the kernel's table of connections, one reading at a time. A few readings are made on the event loop, which each
 * one blocks for its duration. When readings are slow, or many are needed because many connections arrive, a worker
 * thread makes them. The thread ends after it was idle for a while.
 */
export class TableReader {
  private allowance = OWN_BURST;
  private allowedAtMs = 0;
  private restsUntilMs = 0;
  private lastMs = 0;
  private thread: Worker | undefined;
  private callOffEnd: (() => void) | undefined;

  constructor(
    /** The bundle of the thread; undefined makes every reading run on the event loop. */
    private readonly entry: URL | undefined,
    private readonly clock: Pick<Clock, 'elapsed' | 'after'>,
    private readonly readNow: (wanted: ReadonlySet<string>) => Reading = readOwners,
  ) {}

  /** Reads synchronously on the event loop. */
  now(wanted: ReadonlySet<string>): Reading {
    const startedMs = this.clock.elapsed();
    const reading = this.readNow(wanted);
    this.rest(startedMs, REST);
    // Starting the thread blocks the loop itself, so it is started before many connections arrive.
    if (this.entry !== undefined && this.isSlow) this.thread ??= this.start(this.entry);
    return reading;
  }

  private get isSlow(): boolean {
    return this.lastMs > OWN_MS;
  }

  /**
   * Calls `read` with the result of a reading that starts after this call; `wanted` is evaluated when it starts. Must
   * not be called again before `read` is called.
   */
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
    // When the thread cannot run, the event loop makes the reading, so that no connection is locked out.
    const fail = () => {
      if (thread === this.thread) this.thread = undefined;
      end(this.now(wanted()));
    };
    thread.on('message', end).once('exit', fail);
    thread.postMessage(wanted());
  }

  private start(entry: URL): Worker {
    const thread = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: 64 } });
    // The thread exits after an error; the `exit` event handles it.
    thread.on('error', () => undefined);
    thread.unref();
    return thread;
  }
}
