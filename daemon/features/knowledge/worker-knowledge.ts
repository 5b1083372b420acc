import { Worker } from 'node:worker_threads';
import type { Citation } from '../../contract/asks.js';
import type { CodePlaces, CodeQuery, ProjectNames } from '../../contract/code.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';
import { unlessAborted } from '../../lib/async/unless-aborted.js';
import { within } from '../../lib/async/within.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import type { GitEnvironment } from '../../storage/git/git-command.js';
import { IDLE_STATUS } from './idle-status.js';
import type { Answer, Knowledge, Profile, Question } from './knowledge.js';
import type { CallName, Calls, WorkerMessage, WorkerSetup } from './worker-protocol.js';

const RESTART_MS = 500;
/** Time for a worker to close its database before it is terminated. The index can be rebuilt, so nothing is lost. */
const CLOSE_MS = 2_000;
/** After more consecutive exits without a ready index in between, the worker is not restarted. */
const DEATHS_MAX = 5;
/** Of the thread's heap. With V8's 48 MB the thread keeps 10 MB more once files were read, which takes as long. */
const YOUNG_MB = 6;
const DIED = 'The search index stopped while it worked on this and is starting again: ask again.';
const INDEX_DOWN_MESSAGE =
  'The search index keeps stopping; see the log, remove `.mesh/state/knowledge.db` and restart the daemon.';

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/**
 * The knowledge of a project in a dedicated worker thread, which `start` or the first call creates. When the worker
 * exits, its pending calls are rejected with `overloaded` and it is restarted.
 */
export class WorkerKnowledge implements Knowledge {
  private readonly listeners = new Set<(status: KnowledgeStatus) => void>();
  private readonly waiting = new Map<number, Waiting>();
  private worker: Worker | undefined;
  private current = IDLE_STATUS;
  private lastId = 0;
  private deaths = 0;
  private isClosed = false;
  private callOffRestart: (() => void) | undefined;

  /**
   * `entry` is the worker's bundle. `state` is the folder of the index file. `onFault` is told why the worker ended, and
   * of every error of a call that is the program's or the machine's.
   */
  constructor(
    private readonly entry: URL,
    private readonly root: string,
    private readonly state: string,
    private readonly environment: GitEnvironment,
    private readonly clock: Clock = systemClock,
    private readonly onFault: (error: unknown, message: string) => void = () => undefined,
  ) {}

  start(): void {
    // A failure is stored in the status, and every question reports it again.
    this.call('start', null).catch(() => undefined);
  }

  status(): KnowledgeStatus {
    return this.current;
  }

  onStatus(listener: (status: KnowledgeStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async answer({ signal, ...question }: Question): Promise<Answer> {
    signal?.throwIfAborted();
    const asked = this.call('answer', question);
    return signal ? unlessAborted(asked, signal) : asked;
  }

  check(citations: readonly Citation[], profile?: Profile): Promise<Citation[]> {
    return this.call('check', { citations, profile });
  }

  recheck(citations: readonly Citation[], profile?: Profile): Promise<Citation[]> {
    return this.call('recheck', { citations, profile });
  }

  async rescan(): Promise<void> {
    await this.call('rescan', null);
  }

  readLines(path: string, start?: number, end?: number, profile?: Profile): Promise<FileLines> {
    return this.call('readLines', { path, start, end, profile });
  }

  findCode(query: CodeQuery, name?: string, profile?: Profile): Promise<CodePlaces> {
    return this.call('findCode', { query, name, profile });
  }

  findPaths(words: string, limit: number, profile?: Profile): Promise<string[]> {
    return this.call('findPaths', { words, limit, profile });
  }

  findNames(text: string, limit: number, profile?: Profile): Promise<ProjectNames> {
    return this.call('findNames', { text, limit, profile });
  }

  /** Lets the worker close its database for up to 2 s. Rejects pending calls with `overloaded`. Idempotent. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    const { worker } = this;
    const closing = worker ? this.call('close', null) : undefined;
    this.isClosed = true;
    this.callOffRestart?.();
    if (worker && closing) {
      const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      await within(this.clock, CLOSE_MS, Promise.race([closing.catch(() => undefined), exited]));
      await worker.terminate();
    }
    this.rejectAll(new MeshError('overloaded', 'The daemon is shutting down.'));
    this.listeners.clear();
  }

  private call<N extends CallName>(call: N, give: Calls[N]['give']): Promise<Calls[N]['take']> {
    if (this.isClosed) return Promise.reject(new MeshError('overloaded', 'The daemon is shutting down.'));
    if (this.deaths > DEATHS_MAX) return Promise.reject(new MeshError('overloaded', INDEX_DOWN_MESSAGE));
    return new Promise<Calls[N]['take']>((resolve, reject) => {
      const worker = this.running();
      this.lastId += 1;
      this.waiting.set(this.lastId, { resolve: resolve as (value: never) => void, reject });
      worker.postMessage({ id: this.lastId, call, give });
    });
  }

  private running(): Worker {
    if (this.worker) return this.worker;
    this.callOffRestart?.();
    const setup: WorkerSetup = { root: this.root, state: this.state, environment: { ...this.environment } };
    // Passes an empty environment. `setup` contains only what Git needs, and nothing secret.
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(this.entry, { workerData: setup, env: {}, name: 'knowledge', resourceLimits });
    this.worker = worker;
    worker.on('message', (message: WorkerMessage) => this.hear(message));
    worker.on('error', (error) => this.bury(worker, error));
    worker.on('exit', (code) => this.bury(worker, new Error(`The thread exited with ${code}.`)));
    return worker;
  }

  private hear(message: WorkerMessage): void {
    if (message.type === 'status') {
      if (message.status.state === 'ready') this.deaths = 0;
      this.notify(message.status);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.type === 'failed' && message.fault !== undefined)
      this.onFault(Object.assign(new Error(), message.fault), 'the search index met a fault');
    if (message.type === 'done') waiting?.resolve(message.take as never);
    else waiting?.reject(new MeshError(message.error.code, message.error.message, { details: message.error.details }));
  }

  /** Handles the exit of a worker: rejects its pending calls and schedules the restart. */
  private bury(worker: Worker, error: unknown): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    if (this.isClosed) return;
    this.onFault(error, 'the search index stopped');
    this.deaths += 1;
    const staysDown = this.deaths > DEATHS_MAX;
    this.rejectAll(new MeshError('overloaded', staysDown ? INDEX_DOWN_MESSAGE : DIED));
    this.notify({
      ...this.current,
      state: staysDown ? 'failed' : 'indexing',
      ...(staysDown ? { message: INDEX_DOWN_MESSAGE } : {}),
    });
    if (!staysDown) this.callOffRestart = this.clock.after(RESTART_MS * this.deaths, () => this.start());
  }

  private rejectAll(error: MeshError): void {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of all) reject(error);
  }

  private notify(status: KnowledgeStatus): void {
    this.current = status;
    for (const listener of this.listeners) listener(status);
  }
}
