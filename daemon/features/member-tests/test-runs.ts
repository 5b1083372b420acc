import { Mutex } from 'async-mutex';
import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { MEMBER_TEST_OUTCOMES, MemberTestResult } from '../../contract/member-tests.js';
import { isMeshError, messageOf } from '../../lib/errors.js';
import type { JsonAdapter } from '../../storage/json-file.js';
import { JsonObjectStore } from '../../storage/json-store.js';

/** A run as it is kept. `at` is when it was last written: when it ended, once it has. */
const KeptRun = Type.Object({
  at: Type.String(),
  member_revision: Type.String(),
  /** Digest of what the member is apart from its exposure; empty when that changed under way. */
  member_sha256: Type.String(),
  tests_sha256: Type.String(),
  outcome: Type.Union([Type.Literal('running'), ...MEMBER_TEST_OUTCOMES.map((outcome) => Type.Literal(outcome))]),
  results: Type.Array(MemberTestResult),
});
export type KeptRun = Omit<Static<typeof KeptRun>, 'outcome' | 'results'> & {
  outcome: 'running' | (typeof MEMBER_TEST_OUTCOMES)[number];
  results: MemberTestResult[];
};
export type EndedRun = KeptRun & { outcome: (typeof MEMBER_TEST_OUTCOMES)[number] };

/**
 * The last run of each member, in one file of the daemon's own that can be thrown away. A run that is written as under way when the file is read was cut off
 * by the end of the daemon: it is `interrupted`.
 */
export class TestRuns {
  private readonly ended = new Map<string, EndedRun>();
  private readonly underWay = new Map<string, KeptRun>();
  private readonly mutex = new Mutex();
  private readonly low: JsonObjectStore;

  constructor(
    file: JsonAdapter,
    private readonly warn: (message: string) => void,
  ) {
    this.low = new JsonObjectStore(file);
  }

  /** What cannot be read is left out: the tests can be run again. */
  async load(): Promise<void> {
    await this.low.read().catch((error: unknown) => {
      if (!isMeshError(error)) throw error;
      this.warn(error.message);
    });
    for (const [id, run] of Object.entries(this.low.data)) {
      if (!Value.Check(KeptRun, run)) continue;
      const known = run as KeptRun;
      this.ended.set(id, { ...known, outcome: known.outcome === 'running' ? 'interrupted' : known.outcome });
    }
  }

  /** The last run that ended. */
  find(id: string): EndedRun | undefined {
    return this.ended.get(id);
  }

  /** Writes a run down as begun. Throws `store_readonly`, `no_space`: then it must not begin. */
  begin(id: string, run: KeptRun): Promise<void> {
    this.underWay.set(id, run);
    return this.write().catch((error: unknown) => {
      this.underWay.delete(id);
      throw error;
    });
  }

  /** Writes down how far a run is. What cannot be written is told: the run goes on. */
  async note(id: string, run: KeptRun): Promise<void> {
    this.underWay.set(id, run);
    await this.write().catch((error: unknown) =>
      this.warn(`How far the tests of ${id} are could not be written: ${messageOf(error)}`),
    );
  }

  /** The run is over; it is on disk when this resolves, or that it is not has been told. */
  async end(id: string, run: EndedRun): Promise<void> {
    this.underWay.delete(id);
    this.ended.set(id, run);
    await this.write().catch((error: unknown) =>
      this.warn(`The tests of ${id} could not be written: ${messageOf(error)}`),
    );
  }

  /** Nothing is kept of the member any more. Throws `store_readonly`, `no_space`. */
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
