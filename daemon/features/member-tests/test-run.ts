import type { AskAccepted, RequestDetail } from '../../contract/asks.js';
import type { MemberTest, MemberTestResult } from '../../contract/member-tests.js';
import { MeshError } from '../../lib/errors.js';
import { judge } from './judge.js';

/** The interface for asks that a run uses: it sends asks as the operator, and follows each to its end. */
export interface TestAskPort {
  acceptTestAsk(memberId: string, text: string): Promise<AskAccepted>;
  wait(requestId: string, seconds: number, signal: AbortSignal): Promise<void>;
  detail(requestId: string): Promise<RequestDetail>;
  cancelAskAsOperator(requestId: string): Promise<void>;
}

const WAIT_SECONDS = 3_600;

/** One run of some tests of a member, one ask at a time. */
export class TestRun {
  readonly results: MemberTestResult[] = [];
  asking: { question: string; requestId: string | null } | undefined;
  private readonly over = new AbortController();

  constructor(
    private readonly memberId: string,
    readonly tests: readonly MemberTest[],
    private readonly asks: TestAskPort,
  ) {}

  get isCalledOff(): boolean {
    return this.over.signal.aborted;
  }

  /** Cancels the run and its current ask. Idempotent. */
  callOff(): void {
    this.over.abort();
  }

  /**
   * Asks all questions. Awaits `onProgress` when a question was sent and when it was answered. Resolves after the last,
   * or when the run is cancelled.
   */
  async run(onProgress: () => Promise<void>): Promise<void> {
    for (const test of this.tests) {
      if (this.isCalledOff) return;
      const result = await this.put(test, onProgress);
      this.asking = undefined;
      if (!result) return;
      this.results.push(result);
      await onProgress();
    }
  }

  /** Returns undefined when the run was cancelled before the answer. */
  private async put(test: MemberTest, onProgress: () => Promise<void>): Promise<MemberTestResult | undefined> {
    const { question } = test;
    this.asking = { question, requestId: null };
    let request_id: string;
    try {
      ({ request_id } = await this.asks.acceptTestAsk(this.memberId, question));
    } catch (error) {
      // A question that cannot be asked fails. The next one may succeed.
      if (!(error instanceof MeshError)) throw error;
      return {
        question,
        passed: false,
        failures: [`It could not be asked: ${error.message}`],
        request_id: null,
        latency_ms: null,
        error_code: null,
      };
    }
    this.asking = { question, requestId: request_id };
    await onProgress();
    const record = await this.ended(request_id);
    return record && getResult(test, record);
  }

  private async ended(requestId: string): Promise<RequestDetail | undefined> {
    for (;;) {
      const record = await this.asks.detail(requestId);
      if (record.status === 'done' || record.status === 'error') return this.isCalledOff ? undefined : record;
      if (this.isCalledOff) {
        await this.asks.cancelAskAsOperator(requestId);
        return undefined;
      }
      await this.asks.wait(requestId, WAIT_SECONDS, this.over.signal);
    }
  }
}

function getResult(test: MemberTest, record: RequestDetail): MemberTestResult {
  const { request_id, created_at, finished_at, error, result_text = '', citations = [] } = record;
  const failures = error
    ? [`It did not answer: ${error.message || error.code}`]
    : judge(test, { text: result_text, citations });
  return {
    question: test.question,
    passed: failures.length === 0,
    failures,
    request_id,
    latency_ms: finished_at === undefined ? null : Math.max(0, Date.parse(finished_at) - Date.parse(created_at)),
    error_code: error?.code ?? null,
  };
}
