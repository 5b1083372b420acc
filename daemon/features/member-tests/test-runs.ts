import { Mutex } from 'async-mutex';
import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { MEMBER_TEST_OUTCOMES, MemberTestResult } from '../../contract/member-tests.js';
import { getErrorMessage, isMeshError } from '../../lib/errors.js';
import type { JsonAdapter } from '../../storage/files/json-file.js';
import { JsonObjectStore } from '../../storage/files/json-store.js';

/** A stored run. `at` is the time of the last write, which is its end once it has ended. */
const StoredRun = Type.Object({
  at: Type.String(),
  member_revision: Type.String(),
  /** Digest of the member without its exposure; empty when the member changed during the run. */
  member_sha256: Type.String(),
  tests_sha256: Type.String(),
  outcome: Type.Union([Type.Literal('running'), ...MEMBER_TEST_OUTCOMES.map((outcome) => Type.Literal(outcome))]),
  results: Type.Array(MemberTestResult),
});
export type StoredRun = Omit<Static<typeof StoredRun>, 'outcome' | 'results'> & {
  outcome: 'running' | (typeof MEMBER_TEST_OUTCOMES)[number];
  results: MemberTestResult[];
};
export type EndedRun = StoredRun & { outcome: (typeof MEMBER_TEST_OUTCOMES)[number] };

/**
 * Stores the last run of each member in one file of the daemon, which may be deleted. A run stored as running when the
 * file is loaded was cut off by the end of the daemon, and becomes `interrupted`.
 */
export class TestRuns {
  private readonly ended = new Map<string, EndedRun>();
  private readonly underWay = new Map<string, StoredRun>();
  private readonly mutex = new Mutex();
  private readonly low: JsonObjectStore;

  constructor(
    file: JsonAdapter,
    private readonly warn: (message: string) => void,
  ) {
    this.low = new JsonObjectStore(file);
  }

  /** Unreadable entries are ignored: the tests can be run again. */
  async load(): Promise<void> {
    await this.low.read().catch((error: unknown) => {
      if (!isMeshError(error)) throw error;
      this.warn(error.message);
    });
    for (const [id, run] of Object.entries(this.low.data)) {
      if (!Value.Check(StoredRun, run)) continue;
      const known = run as StoredRun;
      this.ended.set(id, { ...known, outcome: known.outcome === 'running' ? 'interrupted' : known.outcome });
    }
  }

  /** Returns the last run that ended. */
  find(id: string): EndedRun | undefined {
    return this.ended.get(id);
  }

  /** Stores the start of a run. Throws `store_readonly` and `no_space`; the run must not start then. */
  begin(id: string, run: StoredRun): Promise<void> {
    this.underWay.set(id, run);
    return this.write().catch((error: unknown) => {
      this.underWay.delete(id);
      throw error;
    });
  }

  /** Stores the progress of a run. A write failure is only a warning, and the run continues. */
  async note(id: string, run: StoredRun): Promise<void> {
    this.underWay.set(id, run);
    await this.write().catch((error: unknown) =>
      this.warn(`How far the tests of ${id} are could not be written: ${getErrorMessage(error)}`),
    );
  }

  /** Stores the end of a run. A write failure is only a warning. */
  async end(id: string, run: EndedRun): Promise<void> {
    this.underWay.delete(id);
    this.ended.set(id, run);
    await this.write().catch((error: unknown) =>
      this.warn(`The tests of ${id} could not be written: ${getErrorMessage(error)}`),
    );
  }

  /** Deletes the runs of the member. Throws `store_readonly` and `no_space`. */
  async forget(id: string): Promise<void> {
    const wasUnderWay = this.underWay.delete(id);
    if (this.ended.delete(id) || wasUnderWay) await this.write();
  }

  private write(): Promise<void> {
    return this.mutex.runExclusive(() => {
      this.low.data = Object.fromEntries([...this.ended, ...this.underWay]);
      return this.low.write();
    });
  }
}
