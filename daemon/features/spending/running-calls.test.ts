import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Call } from '../../contract/payments.js';
import { KeyedWaiters } from '../../lib/async/keyed-waiters.js';
import { Database } from '../../storage/database/database.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type CallRow, CallsStore } from './calls-store.js';
import { Journal } from './journal.js';
import { StoppedError } from './paying-ports.js';
import { Spending } from './spending.js';
import { toLedgerEntry } from './spending-views.js';
import { type SpentRow, SpentStore } from './spent-store.js';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

/** The calls of an operator, each of which runs until a test ends it. */
async function aScene() {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const [calls, spent, waiters] = [new CallsStore(database), new SpentStore(database), new KeyedWaiters(clock)];
  const watcher = { call: () => undefined, payment: () => undefined, balance: () => undefined };
  const journal = new Journal({ database, calls, spent, clock, watcher });
  const runs: { id: string; signal: AbortSignal; end: () => void; fail: (error: unknown) => void }[] = [];
  const client = {
    resumeCall: (id: string, signal: AbortSignal) =>
      new Promise<void>((end, fail) => {
        runs.push({ id, signal, end, fail });
      }),
  };
  const settled: unknown[] = [];
  const debts = {
    resumed: [] as AbortSignal[],
    result: { paid: [] as SpentRow[], failed: [] as { id: string; message: string }[] },
    async resume(signal: AbortSignal) {
      debts.resumed.push(signal);
    },
    async settle(agent: string | undefined) {
      settled.push(agent);
      return debts.result;
    },
  };
  const lost: [string, unknown][] = [];
  const parts = {
    calls,
    journal,
    client,
    debts,
    waiters,
    clock,
    onLost: (...one: [string, unknown]) => lost.push(one),
  };
  const spending = new Spending(parts as never);
  onTestFinished(() => {
    for (const { end } of runs) end();
    return spending.stop();
  });
  const put = (id: string, changes: Partial<CallRow>) => database.write(() => calls.put(id, changes));
  return {
    ...{ clock, database, calls, journal, waiters, runs, debts, settled, lost, spending, put },
    pay: () => spending.submit({ agent: 'painter', skill: 'paint' }),
    /** Submits a call and has it wait for the operator since `waiting_ms`. */
    async wait(waiting_ms = clock.now()) {
      const { call_id } = await spending.submit({ agent: 'painter', skill: 'paint' });
      const wanted = { amount: 5, network: 'solana:devnet', address: 'payee', is_real: false };
      await put(call_id, { state: 'waiting', waiting_ms, wanted, reason: 'Over.' });
      runs.at(-1)?.end();
      await waitForTick();
      return call_id;
    },
    /** Has all that is written be written. */
    settle: () => database.write(() => undefined).then(() => waitForTick()),
  };
}

const ids = (calls: readonly Pick<Call, 'call_id'>[]) => calls.map(({ call_id }) => call_id);

describe('a call that is submitted', () => {
  it('has what was left out by default, and runs', async () => {
    const { clock, calls, runs, pay } = await aScene();
    const call = await pay();
    expect(call).toMatchObject({ call_id: expect.stringMatching(/^call-/), state: 'running', agent: 'painter' });
    expect(calls.find(call.call_id)).toMatchObject({
      ...{ skill: 'paint', input: {}, asked_mode: 'auto', max_lamports: null, topup_lamports: null },
      ...{ wants_report: true, created_ms: clock.now() },
    });
    expect(runs.map(({ id }) => id)).toEqual([call.call_id]);
  });

  it('has what was given', async () => {
    const { calls, spending } = await aScene();
    const { call_id } = await spending.submit({
      ...{ agent: 'painter', skill: 'paint', input: { prompt: 'a lamp' }, mode: 'deposit' },
      ...{ max_lamports: 0, topup_lamports: 7, report: false },
    });
    expect(calls.find(call_id)).toMatchObject({
      ...{ input: { prompt: 'a lamp' }, asked_mode: 'deposit', max_lamports: 0, topup_lamports: 7 },
      wants_report: false,
    });
  });

  it('again under the same key is the same call in its present state, and runs once', async () => {
    const { runs, put, spending } = await aScene();
    const key = { scope: 'calls', key: 'once', body_sha256: '0'.repeat(64) };
    const body = { agent: 'painter', skill: 'paint' };
    const { call_id } = await spending.submit(body, key);
    await put(call_id, { state: 'done', result: 7 });
    runs[0]?.end();
    await waitForTick();
    expect(await spending.submit(body, key)).toMatchObject({ call_id, state: 'done', result: 7 });
    expect(runs).toHaveLength(1);
  });

  it('is refused while 32 others run', async () => {
    const { runs, put, pay } = await aScene();
    const submitted: Call[] = [];
    for (let count = 0; count < 32; count += 1) submitted.push(await pay());
    await expect(pay()).rejects.toMatchObject({
      ...{ code: 'too_many_requests', message: '32 calls are under way: wait for one to end.' },
      details: { retry_after: 2 },
    });
    expect(runs).toHaveLength(32);
    await put(submitted[0]?.call_id ?? '', { state: 'waiting' });
    expect((await pay()).state).toBe('running');
  });
});

describe('a run', () => {
  it('that could not be recorded is told, and may be begun anew', async () => {
    const { runs, lost, pay, settle } = await aScene();
    const { call_id } = await pay();
    const error = new Error('the disk is full');
    runs[0]?.fail(error);
    await settle();
    expect(lost).toEqual([[call_id, error]]);
  });

  it('that was stopped is told to nobody', async () => {
    const { runs, lost, pay, settle } = await aScene();
    await pay();
    runs[0]?.fail(new StoppedError('Stopped.'));
    await settle();
    expect(lost).toEqual([]);
  });

  it('of a call is never begun twice at once', async () => {
    const { runs, put, pay, spending } = await aScene();
    const { call_id } = await pay();
    await put(call_id, { state: 'waiting' });
    await spending.decide(call_id, { decision: 'allow' });
    expect(runs).toHaveLength(1);
  });

  it('is not begun once the daemon stops, which stops those that are under way', async () => {
    const { clock, runs, pay, spending, put } = await aScene();
    spending.start();
    const first = await pay();
    expect([runs[0]?.signal.aborted, clock.pending]).toEqual([false, 2]);
    let hasStopped = false;
    const stopped = spending.stop().then(() => {
      hasStopped = true;
    });
    expect([runs[0]?.signal.aborted, clock.pending]).toEqual([true, 0]);
    await waitForTick();
    expect(hasStopped).toBe(false);
    runs[0]?.end();
    await stopped;
    await put(first.call_id, { state: 'waiting' });
    await spending.decide(first.call_id, { decision: 'allow' });
    expect([(await pay()).state, runs.length]).toEqual(['running', 1]);
  });
});

describe('whoever waits for a call', () => {
  /** Resolves with whether `waited` is over by now. */
  async function isOver(waited: Promise<void>): Promise<boolean> {
    let is = false;
    void waited.then(() => {
      is = true;
    });
    await waitForTick();
    return is;
  }

  it('waits until its run has ended, as long as asked for', async () => {
    const { clock, runs, pay, spending } = await aScene();
    const { call_id } = await pay();
    const [long, short] = [spending.wait(call_id, 30, never), spending.wait(call_id, 5, never)];
    clock.advance(5_000);
    expect([await isOver(short), await isOver(long)]).toEqual([true, false]);
    runs[0]?.end();
    expect(await isOver(long)).toBe(true);
  });

  it('does not wait for a call that waits itself, or that has ended', async () => {
    const { pay, put, spending, waiters } = await aScene();
    const { call_id } = await pay();
    for (const state of ['waiting', 'done'] as const) {
      await put(call_id, { state });
      expect(await isOver(spending.wait(call_id, 30, never))).toBe(true);
    }
    expect(waiters.size).toBe(0);
  });

  it('is let go when the daemon stops, and does not wait afterwards', async () => {
    const { pay, runs, spending } = await aScene();
    const { call_id } = await pay();
    const waited = spending.wait(call_id, 30, never);
    const stopped = spending.stop();
    expect(await isOver(waited)).toBe(true);
    expect(await isOver(spending.wait(call_id, 30, never))).toBe(true);
    runs[0]?.end();
    await stopped;
  });

  it('is told of a call that is unknown', async () => {
    const { spending } = await aScene();
    const unknown = { code: 'not_found', message: 'There is no call `call-9`.' };
    await expect(spending.wait('call-9', 30, never)).rejects.toMatchObject(unknown);
    await expect(spending.decide('call-9', { decision: 'allow' })).rejects.toMatchObject(unknown);
    expect(() => spending.get('call-9')).toThrow(unknown.message);
  });
});

describe('the list of calls', () => {
  it('is one of pages, newest first, the last of which has no next one', async () => {
    const { calls, put, pay, spending } = await aScene();
    const submitted = ids([await pay(), await pay(), await pay()]).reverse();
    await put(submitted[0] ?? '', { result: 7, state: 'done' });
    const first = spending.list({ limit: 2 });
    expect(first).toMatchObject({ calls: submitted.slice(0, 2).map((call_id) => ({ call_id })), count: 2 });
    expect(first.next_cursor).toBe(String(calls.find(submitted[1] ?? '')?.seq));
    expect(first.calls[0]).not.toHaveProperty('result');
    const rest = spending.list({ limit: 2, cursor: first.next_cursor ?? '' });
    expect([ids(rest.calls), rest.count, rest.next_cursor]).toEqual([submitted.slice(2), 1, null]);
    expect(spending.list({ limit: 3 }).next_cursor).toBeNull();
    expect(spending.list({ limit: 3, cursor: '1' })).toEqual({ calls: [], count: 0, next_cursor: null });
  });

  it('is of a state or an agent, and of 50 calls without a limit', async () => {
    const { database, calls, put, spending } = await aScene();
    const more = { asked_mode: 'auto', max_lamports: null, topup_lamports: null, wants_report: false } as const;
    await database.write(() => {
      for (let at = 0; at < 51; at += 1)
        calls.insert({ call_id: `c-${at}`, agent: `a-${at}`, skill: 'paint', input: {}, created_ms: 1, ...more });
    });
    await put('c-7', { state: 'failed' });
    expect(spending.list({})).toMatchObject({ count: 50, next_cursor: '2' });
    expect(ids(spending.list({ state: 'failed' }).calls)).toEqual(['c-7']);
    expect(ids(spending.list({ agent: 'a-9' }).calls)).toEqual(['c-9']);
  });

  it.each(['x', '1.5', '9007199254740992', 'NaN'])('does not go on from %j', async (cursor) => {
    const { spending } = await aScene();
    const message = '"cursor" must be the next_cursor of an earlier page.';
    expect(() => spending.list({ cursor })).toThrow(
      expect.objectContaining({ code: 'bad_request', message, details: { path: 'cursor' } }),
    );
  });
});

describe('a call that waits for the operator', () => {
  it('is listed from the oldest, until a day has passed', async () => {
    const { clock, spending, wait } = await aScene();
    const waiting = [await wait(), await wait(clock.now() + 1)];
    expect(spending.approvals()).toMatchObject({ approvals: waiting.map((call_id) => ({ call_id })), count: 2 });
    clock.step(DAY_MS - 1);
    expect(spending.approvals().count).toBe(2);
    clock.step(1);
    expect(spending.approvals()).toMatchObject({ approvals: [{ call_id: waiting[1] }], count: 1 });
  });

  it('goes on when it is allowed', async () => {
    const { calls, runs, spending, wait } = await aScene();
    const id = await wait();
    expect(await spending.decide(id, { decision: 'allow' })).toMatchObject({ call_id: id, state: 'running' });
    expect(calls.find(id)?.approved_lamports).toBe(5);
    expect(runs.map((run) => run.id)).toEqual([id, id]);
  });

  it('ends when it is denied, which whoever waits is told', async () => {
    const { runs, spending, wait, waiters } = await aScene();
    const id = await wait();
    const woken = waiters.until(id, 30, never);
    expect(await spending.decide(id, { decision: 'deny' })).toMatchObject({
      ...{ state: 'failed', error: { code: 'denied', message: 'The operator did not allow this payment.' } },
    });
    await woken;
    expect(runs).toHaveLength(1);
  });

  it('is decided once, and within a day', async () => {
    const { clock, pay, runs, spending, wait } = await aScene();
    const over = { code: 'not_waiting', message: 'This call does not wait for anybody (any more).' };
    const { call_id } = await pay();
    const [first, second] = [await wait(), await wait()];
    clock.step(DAY_MS - 1);
    await spending.decide(first, { decision: 'allow' });
    clock.step(1);
    for (const id of [call_id, first, second])
      for (const decision of ['allow', 'deny'] as const)
        await expect(spending.decide(id, { decision })).rejects.toMatchObject(over);
    expect(runs).toHaveLength(4);
  });

  it('ends after a day, which is looked at each minute', async () => {
    const { clock, calls, spending, wait, settle, waiters } = await aScene();
    spending.start();
    const [first, second] = [await wait(clock.now() + 30_000), await wait(clock.now() + 60_001)];
    clock.step(DAY_MS);
    clock.advance(59_999);
    await settle();
    expect(calls.find(first)?.state).toBe('waiting');
    const woken = waiters.until(first, 30, never);
    clock.advance(1);
    await woken;
    expect(calls.find(first)).toMatchObject({
      ...{ state: 'failed', error_code: 'approval_expired' },
      error_message: 'Nobody allowed this payment within 24 hours: nothing was paid.',
    });
    expect(calls.find(second)?.state).toBe('waiting');
    clock.advance(60_000);
    await settle();
    expect(calls.find(second)?.state).toBe('failed');
  });

  it('whose end cannot be recorded is told', async () => {
    const { clock, journal, lost, spending, wait, settle } = await aScene();
    const id = await wait();
    const error = new Error('the disk is full');
    journal.failed = async () => {
      throw error;
    };
    clock.step(DAY_MS);
    spending.start();
    await settle();
    expect(lost).toEqual([[id, error]]);
  });
});

describe('at its start the daemon', () => {
  it('goes on with the calls and debts of the one before', async () => {
    const { database, calls, runs, debts, put, spending } = await aScene();
    const more = { asked_mode: 'auto', max_lamports: null, topup_lamports: null, wants_report: false } as const;
    await database.write(() => {
      for (const call_id of ['b', 'a', 'c'])
        calls.insert({ call_id, agent: 'painter', skill: 'paint', input: {}, created_ms: 1, ...more });
    });
    await put('c', { state: 'done' });
    spending.start();
    expect(runs.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(debts.resumed).toEqual([runs[0]?.signal]);
  });

  it('ends what waited too long, and forgets calls that ended 30 days ago, as each hour', async () => {
    const { clock, calls, put, pay, spending, settle, wait } = await aScene();
    const late = await wait(clock.now() - DAY_MS);
    const [old, older] = [await pay(), await pay()];
    await put(old.call_id, { state: 'done', finished_ms: clock.now() - 30 * DAY_MS });
    await put(older.call_id, { state: 'done', finished_ms: clock.now() - 30 * DAY_MS - 1 });
    spending.start();
    await settle();
    expect([calls.find(late)?.state, calls.find(old.call_id)?.state, calls.find(older.call_id)]).toEqual([
      ...['failed', 'done', undefined],
    ]);
    clock.advance(3_599_999);
    await settle();
    expect(calls.find(old.call_id)).toBeDefined();
    clock.advance(1);
    await settle();
    expect(calls.find(old.call_id)).toBeUndefined();
  });
});

it('debts are settled for the agent that is named, and added up', async () => {
  const { debts, settled, spending } = await aScene();
  expect(await spending.settle(undefined)).toEqual({ settled: [], paid_lamports: 0, failed: [] });
  const row = { payment_id: 'pay-1', amount_lamports: 5, created_ms: 1_000, updated_ms: 1_000 } as SpentRow;
  const failed = [{ id: 'pay-3', message: 'Refused.' }];
  debts.result = { paid: [row, { ...row, payment_id: 'pay-2', amount_lamports: 7 }], failed };
  expect(await spending.settle('painter')).toEqual({
    ...{ settled: debts.result.paid.map(toLedgerEntry), paid_lamports: 12, failed },
  });
  expect(settled).toEqual([undefined, 'painter']);
});
