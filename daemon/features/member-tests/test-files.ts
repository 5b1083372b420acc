import { Mutex } from 'async-mutex';
import type { Problem } from '../../contract/team.js';
import { isMemberId } from '../../lib/agents/member-id.js';
import { isMeshError } from '../../lib/errors.js';
import type { FileState, MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { readTestFile, type TestFile } from './test-file.js';

/** The tests of one member on disk. */
export interface StoredTests extends TestFile {
  /** Undefined for a file without readable text. */
  text: string | undefined;
  /** SHA-256 of the file; empty when it cannot be read. */
  revision: string;
}

/**
 * The files of `.mesh/asks`, one per member. Cached in memory for exposure checks, and read again after every change on
 * disk. `onChange` reports each change of content once.
 */
export class TestFiles {
  private readonly known = new Map<string, StoredTests>();
  /** Members whose tests blocked exposure when their file was last there. */
  private readonly gone = new Set<string>();
  private listener: (id: string) => Promise<void> = async () => undefined;
  /** Held by each read and write, so that a result is stored before the next one starts. */
  private readonly mutex = new Mutex();

  constructor(
    private readonly folder: MarkdownFolder,
    private readonly warn: (message: string) => void,
  ) {}

  /** `listener` is awaited by the operation that found the change. */
  onChange(listener: (id: string) => Promise<void>): void {
    this.listener = listener;
  }

  /**
   * Reads every file without notifying the listener, then watches the folder. A folder that is a link contains no
   * tests; this is only a warning.
   */
  async open(): Promise<void> {
    try {
      for (const name of await this.folder.rescan()) await this.look(getId(name));
    } catch (error) {
      if (!isMeshError(error)) throw error;
      this.warn(error.message);
    }
    await this.folder.watch(async (name) => void (await this.read(getId(name))));
  }

  close(): Promise<void> {
    return this.folder.close();
  }

  /** Returns the path of a member's tests, relative to the project. */
  pathOf(id: string): string {
    return `${this.folder.relativePath}/${id}.md`;
  }

  /** Returns the cached tests without reading the disk. */
  find(id: string): StoredTests | undefined {
    return this.known.get(id);
  }

  /** Whether the file is gone from the disk, and blocked exposure when it was last there. */
  isGone(id: string): boolean {
    return this.gone.has(id);
  }

  /** Must be called when the operator does without tests that are gone. */
  giveUpGone(id: string): void {
    this.gone.delete(id);
  }

  /** Reads the tests from disk. */
  async read(id: string): Promise<StoredTests | undefined> {
    if (await this.mutex.runExclusive(() => this.look(id))) await this.listener(id);
    return this.known.get(id);
  }

  /**
   * Replaces the file atomically by the result of `edit`, which receives the current file. When `edit` throws, nothing
   * is written. Resolves after the write and the listener. Throws `forbidden`, `file_changed` and `no_space`.
   */
  async change(id: string, edit: (current: StoredTests | undefined) => string): Promise<void> {
    const isOther = await this.mutex.runExclusive(async () => {
      await this.look(id);
      await this.folder.write(`${id}.md`, edit(this.known.get(id)));
      return this.look(id);
    });
    if (isOther) await this.listener(id);
  }

  /** Reads the file. Returns true when it has changed. */
  private async look(id: string): Promise<boolean> {
    if (!isMemberId(id)) return false;
    const state = await this.getState(id);
    const before = this.known.get(id);
    if (
      state?.revision === before?.revision &&
      findProblem(state) === (before?.text === undefined ? before?.problem?.reason : undefined)
    )
      return false;
    if (state) this.known.set(id, interpret(state));
    else this.known.delete(id);
    if (state) this.gone.delete(id);
    else if (before?.blocksExposure) this.gone.add(id);
    return true;
  }

  private async getState(id: string): Promise<FileState | undefined> {
    try {
      return (await this.folder.exists()) ? await this.folder.read(`${id}.md`) : undefined;
    } catch (error) {
      if (!isMeshError(error)) throw error;
      return { kind: 'unreadable', problem: { line: 1, column: 1, reason: error.message }, revision: '' };
    }
  }
}

const getId = (name: string) => name.slice(0, -'.md'.length);

const findProblem = (state: FileState | undefined): string | undefined =>
  state?.kind === 'unreadable' ? state.problem.reason : undefined;

function interpret(state: FileState): StoredTests {
  if (state.kind === 'unreadable') return unreadable(state.problem, state.revision);
  return { ...readTestFile(state.text), text: state.text, revision: state.revision };
}

/** Whether it blocks exposure is unknown, so it does. */
const unreadable = (problem: Problem, revision: string): StoredTests => ({
  blocksExposure: true,
  tests: [],
  problem,
  text: undefined,
  revision,
});
