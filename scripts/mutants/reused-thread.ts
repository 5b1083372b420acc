import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node';
import { ThreadsPoolWorker } from 'vitest/node';

type Listener = (value: unknown) => void;

/** A thread ends after this many mutants: each leaves a copy of its test files in memory. */
const RUNS_MAX = 100;

/**
 * Runs tests as Vitest's own threads do, but keeps the thread for the next mutant, whose modules are then loaded
 * already. A mutant that is active while modules load needs a new thread, and so does the one after a failed test,
 * which may have left anything behind.
 */
export class ReusedThread implements PoolWorker {
  readonly name = 'reused-thread';
  private static idle: { thread: ThreadsPoolWorker; runs: number } | undefined;

  private readonly thread: ThreadsPoolWorker;
  private readonly isReused: boolean;
  private readonly runs: number;
  private readonly listeners: [event: string, listener: Listener][] = [];

  constructor(private readonly options: PoolOptions) {
    const idle = this.isReusable ? ReusedThread.idle : undefined;
    if (idle) ReusedThread.idle = undefined;
    this.isReused = idle !== undefined;
    this.thread = idle?.thread ?? new ThreadsPoolWorker(options);
    this.runs = 1 + (idle?.runs ?? 0);
  }

  private get isReusable(): boolean {
    const provided: Record<string, unknown> = { ...this.options.project.getProvidedContext() };
    return provided['mutantActivation'] === 'runtime';
  }

  async start(): Promise<void> {
    if (!this.isReused) await this.thread.start();
  }

  send(message: WorkerRequest): void {
    if (message.type === 'start' && this.isReused) this.answer('started');
    else if (message.type === 'stop') this.answer('stopped');
    // A reused thread has the configuration of its first run, which names the tests of another mutant.
    else if (message.type === 'run') {
      const config = this.options.project.serializedConfig;
      this.thread.send({ ...message, context: Object.assign({}, message.context, { config }) });
    } else this.thread.send(message);
  }

  private answer(type: 'started' | 'stopped'): void {
    const listeners = this.listeners.filter(([event]) => event === 'message');
    queueMicrotask(() => {
      for (const [, listener] of listeners) listener({ type, __vitest_worker_response__: true });
    });
  }

  on(event: string, listener: Listener): void {
    this.listeners.push([event, listener]);
    this.thread.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.thread.off(event, listener);
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.listeners) this.thread.off(event, listener);
    const { state } = this.options.project.vitest;
    const isClean = state.getCountOfFailedTests() === 0 && state.errorsSet.size === 0;
    if (this.isReusable && isClean && this.runs < RUNS_MAX && ReusedThread.idle === undefined)
      ReusedThread.idle = { thread: this.thread, runs: this.runs };
    else await this.thread.stop();
  }

  deserialize(data: unknown): unknown {
    return data;
  }
}
