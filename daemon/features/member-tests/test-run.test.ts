import { describe, expect, it } from 'vitest';
import type { AskAccepted, Citation, RequestDetail } from '../../contract/asks.js';
import type { MemberTest } from '../../contract/member-tests.js';
import { MeshError } from '../../lib/errors.js';
import { type TestAskPort, TestRun } from './test-run.js';

const question = (text: string, more: Partial<MemberTest> = {}): MemberTest => ({
  ...{ question: text, cites: [], says: ['dusk'], never_says: [], not_found: false },
  ...more,
});
const CREATED = { created_at: '2026-01-01T00:00:01.000Z' };
const detail = (more: Partial<RequestDetail>) => more as RequestDetail;
const done = (result_text: string, more: Partial<RequestDetail> = {}) =>
  detail({ ...CREATED, status: 'done', result_text, finished_at: '2026-01-01T00:00:03.500Z', ...more });

/** Asks whose states in the order of the looks at each are `states`, by question. What was called is noted. */
function someAsks(states: Record<string, RequestDetail[] | Error>) {
  const calls: string[] = [];
  const looks = new Map<string, number>();
  const asks: TestAskPort = {
    acceptTestAsk: async (memberId, text) => {
      calls.push(`ask ${memberId} ${text}`);
      const found = states[text];
      if (found instanceof Error) throw found;
      return { request_id: `req-${text}` } as AskAccepted;
    },
    wait: async (requestId, seconds, signal) => {
      calls.push(`wait ${requestId} ${seconds} ${signal.aborted}`);
    },
    detail: async (requestId) => {
      const look = looks.get(requestId) ?? 0;
      looks.set(requestId, look + 1);
      const found = states[requestId.slice('req-'.length)] as RequestDetail[];
      return { ...(found[look] ?? found.at(-1)), request_id: requestId } as RequestDetail;
    },
    cancelAskAsOperator: async (requestId) => {
      calls.push(`cancel ${requestId}`);
    },
  };
  return { asks, calls };
}

describe('a run', () => {
  it('asks one question after the other, follows each to its end, and tells how far it is', async () => {
    const { asks, calls } = someAsks({
      'A?': [detail({ status: 'queued' }), detail({ status: 'running' }), done('At dusk.')],
      'B?': [done('At dawn.')],
    });
    const run = new TestRun('ada', [question('A?'), question('B?')], asks);
    const progress: unknown[] = [];
    await run.run(async () => void progress.push([run.asking, run.results.length]));
    expect(calls).toEqual(['ask ada A?', 'wait req-A? 3600 false', 'wait req-A? 3600 false', 'ask ada B?']);
    expect(progress).toEqual([
      [{ question: 'A?', requestId: 'req-A?' }, 0],
      [undefined, 1],
      [{ question: 'B?', requestId: 'req-B?' }, 1],
      [undefined, 2],
    ]);
    const common = { latency_ms: 2_500, error_code: null };
    expect(run.results).toEqual([
      { question: 'A?', passed: true, failures: [], request_id: 'req-A?', ...common },
      { question: 'B?', passed: false, failures: ['Does not say "dusk".'], request_id: 'req-B?', ...common },
    ]);
    expect(run.isCalledOff).toBe(false);
  });

  it('fails a question that cannot be asked, and goes on with the next', async () => {
    const { asks } = someAsks({ 'A?': new MeshError('in_flight', 'Too many.'), 'B?': [done('At dusk.')] });
    const run = new TestRun('ada', [question('A?'), question('B?')], asks);
    const looks: unknown[] = [];
    await run.run(async () => void looks.push(run.asking?.requestId));
    expect(run.results).toMatchObject([
      {
        ...{ question: 'A?', passed: false, failures: ['It could not be asked: Too many.'] },
        ...{ request_id: null, latency_ms: null, error_code: null },
      },
      { question: 'B?', passed: true },
    ]);
    expect(looks).toEqual([undefined, 'req-B?', undefined]);
  });

  it('breaks off at any other failure', async () => {
    const { asks } = someAsks({ 'A?': new TypeError('a fault') });
    await expect(new TestRun('ada', [question('A?')], asks).run(async () => undefined)).rejects.toThrow('a fault');
  });

  it.each<[string, RequestDetail, object]>([
    [
      'an error with a message',
      detail({ ...CREATED, status: 'error', error: { code: 'deadline', message: 'Too slow.' } }),
      { failures: ['It did not answer: Too slow.'], error_code: 'deadline', latency_ms: null },
    ],
    [
      'an error without one',
      detail({ ...CREATED, status: 'error', error: { code: 'client_failed', message: '' } }),
      { failures: ['It did not answer: client_failed'], error_code: 'client_failed' },
    ],
    [
      'no text',
      detail({ ...CREATED, status: 'done' }),
      { failures: ['Does not say "dusk".'], error_code: null, latency_ms: null },
    ],
    [
      'a clock that was set back',
      done('At dusk.', { finished_at: '2026-01-01T00:00:00.000Z' }),
      { failures: [], passed: true, latency_ms: 0 },
    ],
  ])('judges an answer with %s', async (_title, record, result) => {
    const { asks } = someAsks({ 'A?': [record] });
    const run = new TestRun('ada', [question('A?')], asks);
    await run.run(async () => undefined);
    expect(run.results).toMatchObject([{ question: 'A?', request_id: 'req-A?', ...result }]);
  });

  it('takes an answer without text for one that says nothing', async () => {
    const { asks } = someAsks({ 'A?': [detail({ ...CREATED, status: 'done' })] });
    const run = new TestRun('ada', [question('A?', { says: [], never_says: ['/./'] })], asks);
    await run.run(async () => undefined);
    expect(run.results).toMatchObject([{ passed: true, failures: [] }]);
  });

  it('judges also what the answer cites', async () => {
    const citations = [{ path: 'a.ts', start_line: 1, end_line: 2, status: 'checked' } as Citation];
    const { asks } = someAsks({ 'A?': [done('', { citations })], 'B?': [done('')] });
    const cites = { says: [], cites: ['a.ts'] };
    const run = new TestRun('ada', [question('A?', cites), question('B?', cites)], asks);
    await run.run(async () => undefined);
    expect(run.results.map(({ passed }) => passed)).toEqual([true, false]);
  });
});

describe('a run that is cancelled', () => {
  it('before it begins asks nothing', async () => {
    const { asks, calls } = someAsks({});
    const run = new TestRun('ada', [question('A?')], asks);
    run.callOff();
    run.callOff();
    await run.run(async () => undefined);
    expect([calls, run.results, run.isCalledOff]).toEqual([[], [], true]);
  });

  it('during a question cancels that one, and keeps the results before', async () => {
    const { asks, calls } = someAsks({
      'A?': [done('At dusk.')],
      'B?': [detail({ status: 'running' })],
      'C?': [done('At dusk.')],
    });
    const run = new TestRun(
      'ada',
      ['A?', 'B?', 'C?'].map((text) => question(text)),
      asks,
    );
    asks.wait = async (_requestId, _seconds, signal) => {
      run.callOff();
      calls.push(`wait ${signal.aborted}`);
    };
    await run.run(async () => undefined);
    expect(calls).toEqual(['ask ada A?', 'ask ada B?', 'wait true', 'cancel req-B?']);
    expect(run.results.map((result) => result.question)).toEqual(['A?']);
    expect(run.asking).toBeUndefined();
  });

  it('leaves out an answer that comes only then', async () => {
    const { asks, calls } = someAsks({ 'A?': [done('At dusk.')], 'B?': [done('At dusk.')] });
    const run = new TestRun('ada', [question('A?'), question('B?')], asks);
    let told = 0;
    await run.run(async () => {
      told += 1;
      run.callOff();
    });
    expect([calls, run.results, told]).toEqual([['ask ada A?'], [], 1]);
  });
});
