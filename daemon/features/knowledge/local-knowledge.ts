import { join } from 'node:path';
import type { Citation } from '../../contract/asks.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import type { GitEnvironment } from '../../storage/git/git-command.js';
import type { Answer, Knowledge, Profile, Question } from './knowledge.js';
import { ProjectIndex } from './passages/project-index.js';

const STATUS_EVERY_MS = 200;
const IDLE: KnowledgeStatus = { state: 'idle', files_done: 0, files_total: 0, passages: 0, bytes: 0, commit: null };
const FAILED_MESSAGE = 'The index cannot be opened: check the space and permissions of `.mesh/state`.';

/**
 * The knowledge of a project in the calling thread. Indexes in slices of about 25 ms and yields to the event loop
 * between them. The daemon runs it in a worker thread; tests and tools run it directly.
 */
export class LocalKnowledge implements Knowledge {
  private readonly listeners = new Set<(status: KnowledgeStatus) => void>();
  private index: ProjectIndex | undefined;
  private scanning: Promise<void> | undefined;
  private isClosed = false;
  private hasFailed = false;
  private lastStatus: { at: number; status: KnowledgeStatus } | undefined;

  /** `state` is the folder of the index file, `knowledge.db`. */
  constructor(
    private readonly root: string,
    private readonly state: string,
    private readonly environment: GitEnvironment,
    private readonly clock: Clock = systemClock,
  ) {}

  start(): void {
    // A failure is stored in the status, and every question reports it again.
    this.fresh().catch(() => undefined);
  }

  status(): KnowledgeStatus {
    if (this.hasFailed)
      return {
        ...(this.index?.status ?? IDLE),
        state: 'failed',
        message: this.index?.status.message ?? FAILED_MESSAGE,
      };
    return this.index?.status ?? IDLE;
  }

  onStatus(listener: (status: KnowledgeStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async answer({ signal, ...question }: Question): Promise<Answer> {
    signal?.throwIfAborted();
    const index = await this.fresh();
    signal?.throwIfAborted();
    return index.answer(question);
  }

  async check(citations: readonly Citation[], profile?: Profile): Promise<Citation[]> {
    return (await this.fresh()).check(citations, profile);
  }

  async rescan(): Promise<void> {
    await this.scanning;
    await this.scan();
  }

  async readLines(path: string, start?: number, end?: number, profile?: Profile): Promise<FileLines> {
    // The tracking state of a file is known only after a scan.
    const index = profile === 'outside' ? await this.fresh() : this.opened();
    return index.readLines(path, start, end, profile);
  }

  async findPaths(words: string, limit: number, profile?: Profile): Promise<string[]> {
    const index = this.opened();
    if (index.status.state === 'ready') await this.fresh();
    return index.findPaths(words, limit, profile);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // The scan stops at its next pause. Its error is irrelevant then.
    await this.scanning?.catch(() => undefined);
    this.index?.close();
    this.index = undefined;
    this.listeners.clear();
  }

  /** Returns the index after a sufficiently recent scan. */
  private async fresh(): Promise<ProjectIndex> {
    const index = this.opened();
    if (!index.isFresh) await (this.scanning ?? this.scan());
    return index;
  }

  private opened(): ProjectIndex {
    if (this.isClosed) throw new MeshError('overloaded', 'The daemon is shutting down.');
    try {
      const { root, clock, environment } = this;
      this.index ??= new ProjectIndex({ root, database: join(this.state, 'knowledge.db'), environment, clock });
      return this.index;
    } catch (error) {
      this.hasFailed = true;
      this.tell(true);
      throw new MeshError('overloaded', FAILED_MESSAGE, { cause: error });
    }
  }

  private scan(): Promise<void> {
    this.scanning ??= this.runScan().finally(() => {
      this.scanning = undefined;
    });
    return this.scanning;
  }

  private async runScan(): Promise<void> {
    const index = this.opened();
    try {
      for (const _ of index.scan()) {
        this.tell(false);
        await new Promise((resume) => setImmediate(resume));
        if (this.isClosed) throw new MeshError('overloaded', 'The daemon is shutting down.');
      }
      this.hasFailed = false;
    } catch (error) {
      if (this.isClosed) throw error;
      this.hasFailed = true;
      throw new MeshError('overloaded', index.status.message ?? FAILED_MESSAGE, { cause: error });
    } finally {
      this.tell(true);
    }
  }

  /** Notifies the listeners of a changed status, at most every 200 ms, except for a new state or when `isLast`. */
  private tell(isLast: boolean): void {
    const status = this.status();
    const now = this.clock.elapsed();
    if (
      this.lastStatus &&
      !isLast &&
      this.lastStatus.status.state === status.state &&
      now - this.lastStatus.at < STATUS_EVERY_MS
    )
      return;
    if (this.lastStatus && sameStatus(this.lastStatus.status, status)) return;
    this.lastStatus = { at: now, status };
    for (const listener of this.listeners) listener(status);
  }
}

function sameStatus(a: KnowledgeStatus, b: KnowledgeStatus): boolean {
  return (
    a.state === b.state &&
    a.files_done === b.files_done &&
    a.files_total === b.files_total &&
    a.passages === b.passages &&
    a.bytes === b.bytes &&
    a.commit === b.commit &&
    a.message === b.message
  );
}
