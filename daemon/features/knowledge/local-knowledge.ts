import { join } from 'node:path';
import type { Citation } from '../../contract/asks.js';
import type { CodePlaces, CodeQuery, ProjectNames } from '../../contract/code.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';
import { within } from '../../lib/async/within.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import { isDamage } from '../../storage/files/open-exclusively.js';
import type { GitEnvironment } from '../../storage/git/git-command.js';
import { IDLE_STATUS } from './idle-status.js';
import type { Answer, Knowledge, Profile, Question } from './knowledge.js';
import { ProjectIndex } from './passages/project-index.js';
import { type Parsing, SyntaxParser } from './structure/syntax-parser.js';
import { TraceNotes } from './trace-notes.js';

const STATUS_EVERY_MS = 200;
/** How long an answer waits for the structure graph of a few changed files. */
const STRUCTURE_WAIT_MS = 1_500;
/** How long a question about structure waits for the first graph, which a project of hundreds of files has by then. */
const FIRST_STRUCTURE_WAIT_MS = 4_000;
/** How long after the start of the first scan an answer waits for its end. Then it is given from what was read. */
const FIRST_INDEX_WAIT_MS = 5_000;
/** How long a query of the structure graph waits for the scan and for the graph. */
const CODE_WAIT_MS = 5_000;
/** How long a recheck of earlier citations waits for a scan. */
const RECHECK_WAIT_MS = 500;
/** How long after a damaged index was made anew another one counts as a failure: the disk is to blame then. */
const REMAKE_EVERY_MS = 600_000;
/** Stands in while no file waits that has to be parsed. */
const NO_PARSER: Parsing = {
  // biome-ignore lint/correctness/useYield: it only refuses
  *parse() {
    throw new Error('No file was to be parsed.');
  },
};
const FAILED_MESSAGE = 'The index cannot be opened: check the space and permissions of `.mesh/state`.';

/**
 * The knowledge of a project in the calling thread. Indexes in slices of about 25 ms and yields to the event loop
 * between them. The daemon runs it in a worker thread; tests and tools run it directly.
 */
export class LocalKnowledge implements Knowledge {
  private readonly listeners = new Set<(status: KnowledgeStatus) => void>();
  private index: ProjectIndex | undefined;
  private scanning: Promise<void> | undefined;
  private structuring: Promise<void> | undefined;
  private parser: SyntaxParser | undefined;
  private firstScanMs: number | undefined;
  private remadeAt = Number.NEGATIVE_INFINITY;
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
        ...(this.index?.status ?? IDLE_STATUS),
        state: 'failed',
        message: this.index?.status.message ?? FAILED_MESSAGE,
      };
    return this.index?.status ?? IDLE_STATUS;
  }

  onStatus(listener: (status: KnowledgeStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async answer({ signal, ...question }: Question): Promise<Answer> {
    signal?.throwIfAborted();
    return this.undamaged(async () => {
      const notes = new TraceNotes(this.clock);
      const index = await this.scanned();
      notes.lap('index');
      if (this.structuring && index.structure.state === 'ready')
        await within(this.clock, STRUCTURE_WAIT_MS, this.structuring);
      else if (this.structuring && index.needsStructure(question.text, question.profile))
        await within(this.clock, FIRST_STRUCTURE_WAIT_MS, this.structuring);
      // The pass over the structure is the first to read some of the file, and may have found it damaged.
      if (this.opened() !== index) await this.scanned();
      notes.lap('graph');
      signal?.throwIfAborted();
      const answer = this.opened().answer(question, notes);
      return { ...answer, trace: notes.toTrace(answer) };
    });
  }

  check(citations: readonly Citation[], profile?: Profile): Promise<Citation[]> {
    return this.undamaged(async () => {
      const index = this.opened();
      // During the first scan, citations of files that were read need not wait for the others.
      if (index.status.state === 'ready' || !index.holds(citations, profile)) await this.fresh();
      return this.opened().check(citations, profile);
    });
  }

  /** Resolves when the structure graph describes the last scan, or cannot be read. */
  async structured(): Promise<void> {
    await this.fresh();
    await this.structuring;
  }

  recheck(citations: readonly Citation[], profile?: Profile): Promise<Citation[]> {
    return this.undamaged(async () => {
      const index = this.opened();
      // The first scan of a large project takes seconds, and a citation is checked against the file itself.
      if (index.status.state === 'ready' && !index.isFresh) {
        const scanned = this.fresh().catch(() => undefined);
        await within(this.clock, RECHECK_WAIT_MS, scanned);
      }
      return this.opened().recheck(citations, profile);
    });
  }

  async rescan(): Promise<void> {
    await this.scanning;
    await this.scan();
  }

  readLines(path: string, start?: number, end?: number, profile?: Profile): Promise<FileLines> {
    return this.undamaged(async () => {
      // The tracking state of a file is known only after a scan.
      const index = profile === 'outside' ? await this.fresh() : this.opened();
      return index.readLines(path, start, end, profile);
    });
  }

  async findCode(query: CodeQuery, name?: string, profile?: Profile): Promise<CodePlaces> {
    if (name === undefined && query !== 'env' && query !== 'routes')
      throw new MeshError('bad_request', `\`name\` is missing: say what \`${query}\` is to be found for.`, {
        details: { path: 'name' },
      });
    return this.undamaged(async () => {
      this.opened();
      await within(this.clock, CODE_WAIT_MS, this.structured());
      return this.opened().findCode(query, name, profile);
    });
  }

  findPaths(words: string, limit: number, profile?: Profile): Promise<string[]> {
    return this.undamaged(async () => {
      if (this.opened().status.state === 'ready') await this.fresh();
      return this.opened().findPaths(words, limit, profile);
    });
  }

  findNames(text: string, limit: number, profile?: Profile): Promise<ProjectNames> {
    return this.undamaged(async () => {
      const index = this.opened();
      // Somebody types: the scan, which holds this thread up, begins after the response and serves the next letters.
      if (index.status.state === 'ready' && !index.isFresh)
        setImmediate(() => void this.fresh().catch(() => undefined));
      return index.findNames(text, limit, profile);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // The scan stops at its next pause. Its error is irrelevant then.
    await this.scanning?.catch(() => undefined);
    await this.structuring;
    this.parser?.close();
    this.index?.close();
    this.index = undefined;
    this.listeners.clear();
  }

  /** Returns the index after a sufficiently recent scan, or during the first one once that takes long. */
  private async scanned(): Promise<ProjectIndex> {
    const index = this.opened();
    if (index.status.state === 'ready') await this.fresh();
    else await within(this.clock, this.firstWaitMs, this.fresh());
    return index;
  }

  /** Returns the index after a sufficiently recent scan. */
  private async fresh(): Promise<ProjectIndex> {
    const index = this.opened();
    await index.settle();
    const running = this.scanning;
    if (!this.opened().isFresh) await (running ?? this.scan());
    // A scan that was under way may have begun before a change that is known now.
    if (running && index.isFollowing && !index.isFresh) await (this.scanning ?? this.scan());
    return this.opened();
  }

  /** Makes `call`, and once more when the index turns out to be damaged meanwhile and was given up. */
  private async undamaged<T>(call: () => Promise<T>): Promise<T> {
    const index = this.opened();
    try {
      return await call();
    } catch (error) {
      if (this.isClosed || !(this.discardDamaged(index, error) || this.index !== index)) throw error;
      await within(this.clock, FIRST_INDEX_WAIT_MS, this.fresh());
      return await call();
    }
  }

  /** Gives a damaged index up: everything in it comes from the project. The next use makes another. */
  private discardDamaged(index: ProjectIndex, error: unknown): boolean {
    if (!isDamage(error) && !isDamage((error as { cause?: unknown } | null)?.cause)) return false;
    if (this.index !== index) return true;
    const now = this.clock.elapsed();
    if (now - this.remadeAt < REMAKE_EVERY_MS) return false;
    this.remadeAt = now;
    this.firstScanMs = undefined;
    this.index = undefined;
    index.discard();
    return true;
  }

  private opened(): ProjectIndex {
    if (this.isClosed) throw new MeshError('overloaded', 'The daemon is shutting down.');
    try {
      const { root, clock, environment } = this;
      this.index ??= new ProjectIndex({ root, database: join(this.state, 'knowledge.db'), environment, clock });
      return this.index;
    } catch (error) {
      this.hasFailed = true;
      this.notify(true);
      throw new MeshError('overloaded', FAILED_MESSAGE, { cause: error });
    }
  }

  private get firstWaitMs(): number {
    const now = this.clock.elapsed();
    return Math.max(0, (this.firstScanMs ?? now) + FIRST_INDEX_WAIT_MS - now);
  }

  private scan(): Promise<void> {
    this.scanning ??= this.runScan().finally(() => {
      this.scanning = undefined;
    });
    return this.scanning;
  }

  private async runScan(isSecond = false): Promise<void> {
    const index = this.opened();
    this.firstScanMs ??= this.clock.elapsed();
    try {
      for (const _ of index.scan()) {
        this.notify(false);
        await new Promise((resume) => setImmediate(resume));
        if (this.isClosed) throw new MeshError('overloaded', 'The daemon is shutting down.');
        if (this.index !== index) throw new Error('The index was given up.');
      }
      this.hasFailed = false;
      this.startStructure(index);
      if (index.isWorthFollowing) this.followSoon();
    } catch (error) {
      if (this.isClosed) throw error;
      if (!isSecond && (this.discardDamaged(index, error) || this.index !== index)) return await this.runScan(true);
      this.hasFailed = true;
      throw new MeshError('overloaded', index.status.message ?? FAILED_MESSAGE, { cause: error });
    } finally {
      this.notify(true);
    }
  }

  /** Scans once more, and watches the folders of the project from then on. */
  private followSoon(): void {
    setImmediate(() => {
      if (!this.isClosed) this.scan().catch(() => undefined);
    });
  }

  /** Starts the second pass, over what the text index has read, unless one is running. */
  private startStructure(index: ProjectIndex): void {
    if (!index.isStructurePending || this.isClosed) return;
    this.structuring ??= this.readStructure(index)
      // Without the graph the text search answers; its state says that it failed.
      .catch((error: unknown) => {
        if (!this.isClosed && this.discardDamaged(index, error)) this.start();
      })
      .finally(() => {
        this.structuring = undefined;
        if (this.isClosed) return;
        this.notify(true);
        if (this.index && this.index !== index && this.index.status.state === 'ready') this.startStructure(this.index);
      });
  }

  private async readStructure(index: ProjectIndex): Promise<void> {
    while (index.isStructurePending) {
      if (!this.parser && index.needsParser) this.parser = await SyntaxParser.open(this.clock);
      for (const _ of index.readStructure(this.parser ?? NO_PARSER)) {
        this.notify(false);
        await new Promise((resume) => setImmediate(resume));
        if (this.isClosed || this.index !== index) return;
      }
    }
  }

  /** Notifies the listeners of a changed status, at most every 200 ms, except for a new state or when `isLast`. */
  private notify(isLast: boolean): void {
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
    a.message === b.message &&
    a.structure.state === b.structure.state &&
    a.structure.files_done === b.structure.files_done &&
    a.structure.files_total === b.structure.files_total
  );
}
