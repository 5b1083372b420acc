import { describe, expect, it } from 'vitest';
import type { CallErrorCode } from '../../contract/payments.js';
import { databaseOfFile } from '../../testing/database-of-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { CallError } from './call-failure.js';
import { type CallRow, CallsStore } from './calls-store.js';
import { type Draft, Journal, type Reserved, type Watcher } from './journal.js';
import { type SpentRow, SpentStore } from './spent-store.js';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const DRAFT: Draft = {
  ...{ kind: 'call', mode: 'x402', address: 'payee', amount: 100, network: 'solana:devnet', is_real: false },
  ...{ nonce: 'nonce-1', expires_at: 9 },
};
const TOPUP: Draft = { ...DRAFT, kind: 'topup', mode: 'deposit' };
const OVER = '100 lamports are over the cap of 99 for one payment.';
const rowIn = (reserved: Reserved) => (reserved as { row: SpentRow }).row;

const database = databaseOfFile();

/** A journal with a call, `call-1`, of the registered agent `painter`, under caps that allow a payment of 100. */
async function aJournal({ outcome }: Pick<Watcher, 'outcome'> = {}) {
  const clock = new FakeClock();
  await database.write(() => {
    for (const table of ['calls', 'spent_payments']) database.sql(`DELETE FROM ${table}`).run();
  });
  const [calls, spent] = [new CallsStore(database), new SpentStore(database)];
  const told: string[] = [];
  const watcher: Watcher = {
    call: (callId) => void told.push(callId),
    payment: ({ payment_id, state, agent }) =>
      void told.push(`${payment_id.startsWith('pay-') ? 'pay' : payment_id} ${state} of ${agent}`),
    balance: (agent) => void told.push(`balance ${agent}`),
    ...(outcome ? { outcome } : {}),
  };
  const journal = new Journal({ database, calls, spent, clock, watcher });
  const find = (callId = 'call-1') => calls.find(callId) as CallRow;
  const put = async (changes: Partial<CallRow>, callId = 'call-1') => {
    await database.write(() => calls.put(callId, changes));
    return find(callId);
  };
  const allow = (per_call_lamports: number, per_day_lamports = 1_000) =>
    database.write(() => spent.putCaps({ per_call_lamports, per_day_lamports }));
  const add = async (call_id: string, agent: string) => {
    const more = { asked_mode: 'auto', max_lamports: null, topup_lamports: null, wants_report: false } as const;
    await database.write(() =>
      calls.insert({ call_id, agent, skill: 'paint', input: { prompt: 'a lamp' }, created_ms: 1, ...more }),
    );
    return find(call_id);
  };
  await add('call-1', 'Painter');
  await put({ agent_id: 'painter', agent_url: 'http://painter.example' });
  await allow(100);
  return {
    ...{ clock, calls, spent, journal, find, put, allow, add },
    /** Reserves `draft` for the call as it is stored. */
    reserve: (draft: Draft = DRAFT, known?: SpentRow, mayWait?: boolean) =>
      journal.reserve(find(), draft, known, mayWait),
    /** The changes that were told since the last call. */
    news: () => told.splice(0),
  };
}

const EMPTY_ROW = {
  ...{ settle_memo: null, settled_by: null, signature: null, wire: null, signed_ms: null, api_key_last4: null },
  ...{ latency_ms: null, created_ms: NOON, updated_ms: NOON },
};

describe('a payment within the caps', () => {
  it('is reserved with all that is known of it, and counts from then on', async () => {
    const { journal, reserve, find, news } = await aJournal();
    const row = rowIn(await reserve());
    expect(row).toEqual({
      ...EMPTY_ROW,
      ...{ payment_id: expect.stringMatching(/^pay-/), call_id: 'call-1', kind: 'call', state: 'challenged' },
      ...{ mode: 'x402', agent: 'painter', agent_url: 'http://painter.example', skill: 'paint', address: 'payee' },
      ...{ amount_lamports: 100, network: 'solana:devnet', is_real: false, nonce: 'nonce-1', expires_at: 9 },
      ...{ reason: null, is_counted: true, counted_ms: NOON },
    });
    expect(journal.payments('call-1')).toEqual([row]);
    expect(find()).toMatchObject({
      ...{ state: 'running', payment_id: row.payment_id, mode: 'x402', amount_lamports: 100, wanted: null },
      ...{ network: 'solana:devnet', is_real: false, reason: null, is_committed: false },
    });
    expect(news()).toEqual(['pay challenged of painter', 'call-1']);
  });

  it('has no skill when it is a top-up, and no nonce and expiry when there is no challenge', async () => {
    const { reserve } = await aJournal();
    const { nonce: _, expires_at: __, ...draft } = TOPUP;
    expect(rowIn(await reserve({ ...draft, is_real: true }))).toMatchObject({
      ...{ kind: 'topup', mode: 'deposit', skill: null, nonce: null, expires_at: null, is_real: true },
    });
  });

  it('is for the agent as it was called, as long as no other is known', async () => {
    const { journal, add } = await aJournal();
    const call = await add('call-2', 'Baker');
    expect(rowIn(await journal.reserve(call, DRAFT))).toMatchObject({ agent: 'Baker', agent_url: 'Baker' });
  });

  it('on credit may be run without a further step', async () => {
    const { reserve, find } = await aJournal();
    await reserve({ ...DRAFT, mode: 'postpay' });
    expect(find()).toMatchObject({ is_committed: true, mode: 'postpay' });
  });

  it('uses an approval up', async () => {
    const { reserve, find, put } = await aJournal();
    await put({ approved_lamports: 500 });
    await reserve();
    expect(find().approved_lamports).toBeNull();
  });

  it('takes the place of one that waited, under its id and time', async () => {
    const { clock, journal, reserve, put, allow, find } = await aJournal();
    await allow(99);
    await reserve();
    const [known] = journal.payments('call-1');
    await put({ state: 'running', wanted: { amount: 1, network: '', address: '', is_real: false } });
    await allow(100);
    clock.step(HOUR_MS);
    expect(rowIn(await reserve({ ...DRAFT, amount: 90, nonce: 'nonce-2' }, known))).toMatchObject({
      ...{ payment_id: known?.payment_id, state: 'challenged', amount_lamports: 90, nonce: 'nonce-2', reason: null },
      ...{ is_counted: true, counted_ms: NOON + HOUR_MS, created_ms: NOON, updated_ms: NOON + HOUR_MS },
    });
    expect(journal.payments('call-1')).toHaveLength(1);
    expect(find()).toMatchObject({ wanted: null, reason: null });
  });
});

describe('a payment over the caps', () => {
  it('waits for the operator with its call, and does not count', async () => {
    const { spent, journal, reserve, put, allow, find, news } = await aJournal();
    await allow(99);
    await put({ is_committed: true });
    expect(await reserve({ ...DRAFT, is_real: true })).toEqual({ over: OVER });
    const row = journal.payments('call-1').at(0);
    expect(row).toMatchObject({
      ...{ state: 'waiting', nonce: null, expires_at: 9, reason: OVER, is_counted: false, counted_ms: null },
      ...{ amount_lamports: 100, is_real: true },
    });
    expect(find()).toMatchObject({
      ...{ state: 'waiting', reason: OVER, waiting_ms: NOON, is_committed: false, payment_id: row?.payment_id },
      ...{ mode: 'x402', amount_lamports: 100, network: 'solana:devnet', is_real: true },
      wanted: { amount: 100, network: 'solana:devnet', address: 'payee', is_real: true },
    });
    expect(news()).toEqual(['pay waiting of painter', 'call-1']);
    expect(spent.counted(0, undefined)).toBe(0);
  });

  it('to no known address says so', async () => {
    const { reserve, allow, find } = await aJournal();
    await allow(99);
    await reserve({ ...DRAFT, address: null });
    expect(find().wanted?.address).toBe('');
  });

  it('changes nothing when the call may not wait', async () => {
    const { journal, reserve, allow, find, news } = await aJournal();
    await allow(99);
    const before = find();
    expect(await reserve(DRAFT, undefined, false)).toEqual({ over: OVER });
    expect([journal.payments('call-1'), find(), news()]).toEqual([[], before, []]);
  });

  it.each<[string, Partial<CallRow>, boolean]>([
    ['up to what the operator approved', { approved_lamports: 100 }, true],
    ['not above it', { approved_lamports: 99 }, false],
    ['not without an approval', { approved_lamports: null }, false],
  ])('is made %s', async (_, changes, isMade) => {
    const { reserve, put, allow } = await aJournal();
    await allow(0, 0);
    await put(changes);
    expect('row' in (await reserve())).toBe(isMade);
  });

  it('although less was approved is made when the caps allow it', async () => {
    const { reserve, put } = await aJournal();
    await put({ approved_lamports: 1 });
    expect('row' in (await reserve())).toBe(true);
  });

  it('of a day is one with what was reserved since midnight, itself left out', async () => {
    const { clock, journal, reserve, allow } = await aJournal();
    await allow(100, 199);
    const first = rowIn(await reserve());
    expect(await reserve({ ...DRAFT, nonce: 'nonce-2' }, undefined, false)).toEqual({
      over: 'With 100 lamports spent or on their way today, 100 more are over the cap of 199 a day.',
    });
    expect('row' in (await reserve({ ...DRAFT, nonce: 'nonce-3' }, first, false))).toBe(true);
    clock.step(12 * HOUR_MS - 1);
    expect('over' in (await reserve({ ...DRAFT, nonce: 'nonce-2' }, undefined, false))).toBe(true);
    clock.step(1);
    expect('row' in (await reserve({ ...DRAFT, nonce: 'nonce-2' }, undefined, false))).toBe(true);
    expect(journal.payments('call-1')).toHaveLength(2);
  });
});

describe('a challenge', () => {
  it('that was taken up by another payment is not paid, and nothing changes', async () => {
    const { journal, reserve, put, find, news } = await aJournal();
    await reserve();
    await put({ approved_lamports: 500 });
    const before = find();
    news();
    expect(await reserve()).toEqual({ replayed: true });
    expect(await reserve(DRAFT, undefined, false)).toEqual({ replayed: true });
    expect([journal.payments('call-1').length, find(), news()]).toEqual([1, before, []]);
  });

  it.each<[string, Partial<Draft>]>([
    ['with another nonce', { nonce: 'nonce-2' }],
    ['of another address', { address: 'other' }],
  ])('%s is another one', async (_, more) => {
    const { reserve } = await aJournal();
    await reserve();
    expect('row' in (await reserve({ ...DRAFT, ...more }))).toBe(true);
  });

  it('may be taken up again by its own payment, and by another one once that was not made', async () => {
    const { journal, reserve } = await aJournal();
    const row = rowIn(await reserve());
    const again = rowIn(await reserve(DRAFT, row));
    expect(again.payment_id).toBe(row.payment_id);
    await journal.release(again, 'failed', 'refused');
    expect('row' in (await reserve())).toBe(true);
  });
});

describe('the steps of a transfer', () => {
  it('are recorded before it is sent, with the last characters of the key of a top-up', async () => {
    const { clock, spent, journal, reserve, find, news } = await aJournal();
    const [call, topup] = [rowIn(await reserve()), rowIn(await reserve({ ...TOPUP, nonce: 'nonce-2' }))];
    clock.step(5);
    news();
    const signed = await journal.signed(call, { signature: 'sig-1', wire: 'wire-1' });
    const facts = { signed_ms: NOON + 5, updated_ms: NOON + 5 };
    expect(signed).toEqual({ ...call, ...facts, signature: 'sig-1', wire: 'wire-1' });
    expect(spent.find(call.payment_id)).toEqual(signed);
    expect(find().signature).toBe('sig-1');
    const filled = await journal.signed(topup, { signature: 'sig-2', wire: 'wire-2' }, '1234');
    expect(filled).toEqual({ ...topup, ...facts, signature: 'sig-2', wire: 'wire-2', api_key_last4: '1234' });
    expect(spent.find(topup.payment_id)).toEqual(filled);
    // The transaction of a call is that of its own payment.
    expect(find().signature).toBe('sig-1');
    expect(news()).toEqual(['pay challenged of painter', 'pay challenged of painter']);
  });

  it('are over once it is final, which changes the balance of the wallet', async () => {
    const { spent, journal, reserve, news } = await aJournal();
    const row = await journal.signed(rowIn(await reserve()), { signature: 'sig-1', wire: 'wire-1' });
    news();
    const sent = await journal.sent(row);
    expect(sent).toMatchObject({ state: 'paid', wire: null, signature: 'sig-1', is_counted: true });
    expect(spent.find(row.payment_id)).toEqual(sent);
    expect(news()).toEqual(['pay paid of painter', 'balance null']);
  });

  it('are taken back when it is certain that nothing is paid, and the amount stays approved', async () => {
    const { spent, journal, reserve, find, news } = await aJournal();
    const row = await journal.signed(rowIn(await reserve()), { signature: 'sig-1', wire: 'wire-1' });
    news();
    const released = await journal.release(row, 'expired', 'cut off');
    expect(released).toEqual({
      ...row,
      ...{ state: 'expired', reason: 'cut off', is_counted: false, signature: null, wire: null, nonce: null },
    });
    expect(spent.find(row.payment_id)).toEqual(released);
    expect(find()).toMatchObject({ approved_lamports: 100, signature: null });
    expect(news()).toEqual(['pay expired of painter']);
  });

  it('end with a settled payment, with what else is known', async () => {
    const { clock, spent, journal, reserve, news } = await aJournal();
    const row = rowIn(await reserve(TOPUP));
    news();
    clock.step(7);
    expect(await journal.settle(row)).toEqual({ ...row, state: 'settled', updated_ms: NOON + 7 });
    expect(spent.find(row.payment_id)).toEqual({ ...row, state: 'settled', updated_ms: NOON + 7 });
    expect(await journal.settle(row, { state: 'refunded', reason: 'given back' })).toMatchObject({
      ...{ state: 'refunded', reason: 'given back' },
    });
    expect(spent.find(row.payment_id)).toMatchObject({ state: 'refunded', reason: 'given back' });
    expect(news()).toEqual(['pay settled of painter', 'pay refunded of painter']);
  });

  it('of a payment without a call change nothing but the payment', async () => {
    const { spent, journal, reserve, find } = await aJournal();
    const row = { ...rowIn(await reserve()), payment_id: 'own', call_id: null, nonce: null };
    await database.write(() => spent.insert(row));
    const before = find();
    expect(await journal.sent(await journal.signed(row, { signature: 's', wire: 'w' }))).toMatchObject({
      ...{ payment_id: 'own', state: 'paid' },
    });
    expect(find()).toEqual(before);
  });
});

describe('what is found and sent of a call', () => {
  it('is stored before it goes on', async () => {
    const { journal, find } = await aJournal();
    const found = await journal.found(find(), 'p-2', 'http://elsewhere.example');
    expect(found).toMatchObject({ agent_id: 'p-2', agent_url: 'http://elsewhere.example' });
    expect(journal.find('call-1')).toEqual(found);
    const committed = await journal.commit(found, true);
    expect([committed.is_committed, find().is_committed]).toEqual([true, true]);
    expect(await journal.commit(committed, true)).toBe(committed);
    expect((await journal.commit(committed, false)).is_committed).toBe(false);
    expect(find().is_committed).toBe(false);
  });

  it('is as it was given once the call is forgotten', async () => {
    const { journal, find } = await aJournal();
    const gone = { ...find(), call_id: 'call-9' };
    expect(await journal.found(gone, 'p-2', 'http://elsewhere.example')).toEqual(gone);
    expect(journal.find('call-9')).toBeUndefined();
  });
});

describe('an answer', () => {
  const ANSWER = { result: { painted: true }, latency_ms: 12, mode: 'x402', amount_lamports: 100 } as const;

  it('is stored with the payment that was reserved for it', async () => {
    const { clock, spent, journal, reserve, find, news } = await aJournal();
    const row = rowIn(await reserve({ ...DRAFT, is_real: true }));
    const signed = await journal.signed(row, { signature: 'sig-1', wire: 'wire-1' });
    await journal.commit(find(), true);
    clock.step(9);
    news();
    const changes = { state: 'settled', reason: 'well paid' } as const;
    const answered = await journal.answered(find(), ANSWER, { row: signed, changes });
    expect(answered).toMatchObject({
      ...ANSWER,
      ...{ state: 'running', answered_ms: NOON + 9, is_committed: false, finished_ms: null },
      ...{ payment_id: row.payment_id, network: 'solana:devnet', is_real: true, signature: 'sig-1' },
    });
    expect(find()).toEqual(answered);
    expect(spent.find(row.payment_id)).toEqual({
      ...signed,
      ...changes,
      ...{ latency_ms: 12, updated_ms: NOON + 9 },
    });
    expect(news()).toEqual(['pay settled of painter']);
  });

  it('is stored with a payment of its own when it was debited from a balance or free', async () => {
    const { journal, find, news } = await aJournal();
    const draft: Draft = { ...DRAFT, mode: 'deposit', is_real: true };
    await journal.answered(find(), { ...ANSWER, mode: 'deposit' }, { draft, api_key_last4: '1234' });
    const [row] = journal.payments('call-1');
    expect(row).toEqual({
      ...EMPTY_ROW,
      ...{ payment_id: expect.stringMatching(/^pay-/), call_id: 'call-1', kind: 'call', state: 'settled' },
      ...{ mode: 'deposit', agent: 'painter', agent_url: 'http://painter.example', skill: 'paint', address: 'payee' },
      ...{ amount_lamports: 100, network: 'solana:devnet', is_real: true, nonce: null, expires_at: null },
      ...{ reason: null, is_counted: false, counted_ms: null, api_key_last4: '1234', latency_ms: 12 },
    });
    expect(find()).toMatchObject({
      ...{ payment_id: row?.payment_id, mode: 'deposit', network: 'solana:devnet', is_real: true, signature: null },
    });
    expect(news()).toEqual(['pay settled of painter']);
  });

  it('is stored alone when the skill has no price', async () => {
    const { journal, find, news } = await aJournal();
    const answered = await journal.answered(find(), { ...ANSWER, mode: null, amount_lamports: 0 }, undefined);
    expect(answered).toMatchObject({ result: { painted: true }, payment_id: null, mode: null, network: null });
    expect([journal.payments('call-1'), news()]).toEqual([[], []]);
  });

  it('that is no result is stored with what it cost', async () => {
    const { journal, find, news } = await aJournal();
    await journal.charged(find(), { ...DRAFT, mode: 'deposit', amount: 40 }, '1234', 12);
    const [row] = journal.payments('call-1');
    expect(row).toMatchObject({ state: 'settled', amount_lamports: 40, api_key_last4: '1234', latency_ms: 12 });
    expect(find()).toMatchObject({
      ...{ state: 'running', payment_id: row?.payment_id, mode: 'deposit', amount_lamports: 40, answered_ms: null },
    });
    expect(news()).toEqual(['pay settled of painter']);
  });
});

describe('a call that is done', () => {
  it('has no input any more, and what waited for the operator expires', async () => {
    const outcomes: unknown[] = [];
    const { clock, journal, reserve, allow, find, put, news } = await aJournal({
      outcome: (...outcome) => void outcomes.push(outcome),
    });
    await reserve();
    await allow(99);
    await reserve({ ...DRAFT, nonce: 'nonce-2' });
    await put({ state: 'running' });
    clock.step(9);
    news();
    await journal.done(find(), { ok: true });
    expect(find()).toMatchObject({
      ...{ state: 'done', finished_ms: NOON + 9, input: null, reputation_filed: { ok: true } },
    });
    expect(journal.payments('call-1')).toMatchObject([
      { state: 'challenged', updated_ms: NOON },
      { state: 'expired', updated_ms: NOON + 9 },
    ]);
    expect(news()).toEqual(['pay expired of painter', 'call-1']);
    expect(outcomes).toEqual([['painter', true]]);
  });

  it('is told of no agent that is not registered, and needs nobody who is told', async () => {
    const outcomes: unknown[] = [];
    const { journal, add } = await aJournal({ outcome: (...outcome) => void outcomes.push(outcome) });
    await journal.done(await add('call-2', 'http://nobody.example'), null);
    expect(outcomes).toEqual([]);
    const alone = await aJournal();
    await alone.journal.done(alone.find(), null);
    expect(alone.find()).toMatchObject({ state: 'done', reputation_filed: null });
  });
});

describe('a call that failed', () => {
  const failure = (code: CallErrorCode) => new CallError(code, `It is ${code}.`);

  it('has why, and neither its input nor what it waited for', async () => {
    const { clock, journal, find, put, news } = await aJournal();
    await put({ state: 'waiting', wanted: { amount: 1, network: '', address: '', is_real: false } });
    clock.step(9);
    await journal.failed(find(), failure('bad_card'), { ok: false });
    expect(find()).toMatchObject({
      ...{ state: 'failed', error_code: 'bad_card', error_message: 'It is bad_card.', finished_ms: NOON + 9 },
      ...{ input: null, wanted: null, reputation_filed: { ok: false } },
    });
    expect(news()).toEqual(['call-1']);
  });

  it.each<[CallErrorCode, string]>([
    ['denied', 'refused'],
    ['approval_expired', 'expired'],
    ['bad_card', 'failed'],
  ])('as %s leaves its open payment %s', async (code, state) => {
    const { clock, journal, reserve, allow, find, news } = await aJournal();
    await allow(99);
    await reserve();
    clock.step(9);
    news();
    await journal.failed(find(), failure(code), null);
    expect(journal.payments('call-1')).toMatchObject([{ state, reason: code, updated_ms: NOON + 9 }]);
    expect(news()).toEqual([`pay ${state} of painter`, 'call-1']);
  });

  it.each<[string, Partial<SpentRow>, string, boolean]>([
    ['that was not signed is not made', { state: 'challenged' }, 'failed', false],
    ['that was signed may have been made', { state: 'challenged', signature: 'sig' }, 'failed', true],
    ['that was made counts', { state: 'paid', signature: 'sig' }, 'failed', true],
    ['for a top-up that was not made is over', { kind: 'topup', state: 'challenged' }, 'failed', false],
    ['for a top-up that was made becomes a balance', { kind: 'topup', state: 'paid', signature: 'sig' }, 'paid', true],
    ['that is over stays', { state: 'settled', signature: 'sig' }, 'settled', true],
    ['that is owed stays', { state: 'owed', mode: 'postpay' }, 'owed', true],
    ['that was given back stays', { state: 'refunded', signature: 'sig' }, 'refunded', true],
    ['on credit that was not begun is not owed', { state: 'challenged', mode: 'postpay' }, 'failed', false],
  ])('has a payment %s', async (_, changes, state, is_counted) => {
    const { spent, journal, reserve, find } = await aJournal();
    const row = rowIn(await reserve());
    await database.write(() => spent.put(row.payment_id, changes));
    await journal.failed(find(), failure('unreachable'), null);
    expect(journal.payments('call-1')).toMatchObject([{ state, is_counted }]);
  });

  it.each<[Draft['mode'], boolean]>([
    ['postpay', true],
    ['x402', false],
  ])('while the agent was asked counts what it may owe, but no payment: %s', async (mode, is_counted) => {
    const { journal, reserve, find } = await aJournal();
    await reserve({ ...DRAFT, mode });
    await journal.commit(find(), true);
    await journal.failed(find(), failure('unreachable'), null);
    expect(journal.payments('call-1')).toMatchObject([{ state: 'failed', is_counted }]);
  });

  it('is told as a missing answer of its agent only when that gave none', async () => {
    const silent: string[] = [];
    const missing = ['unreachable', 'agent_failed', 'bad_answer', 'not_delivered'] as const;
    for (const code of [...missing, 'refused_by_agent', 'denied', 'bad_card'] as const) {
      const { journal, find } = await aJournal({
        outcome: (id, isAnswered) => void silent.push(`${id} ${isAnswered}`),
      });
      await journal.failed(find(), failure(code), null);
    }
    expect(silent).toEqual(missing.map(() => 'painter false'));
    const other = await aJournal({ outcome: (id) => void silent.push(id) });
    await other.journal.failed(await other.add('call-2', 'http://nobody.example'), failure('unreachable'), null);
    expect(silent).toHaveLength(missing.length);
    const alone = await aJournal();
    await alone.journal.failed(alone.find(), failure('unreachable'), null);
    expect(alone.find().state).toBe('failed');
  });
});

describe('the operator’s decision', () => {
  it('lets a waiting call go on with what it wanted', async () => {
    const { journal, reserve, allow, find, news } = await aJournal();
    await allow(99);
    await reserve();
    news();
    expect(await journal.decided('call-1', true)).toEqual(find());
    expect(find()).toMatchObject({ state: 'running', approved_lamports: 100, wanted: null, reason: null });
    expect(news()).toEqual(['call-1']);
    expect(await journal.decided('call-1', true)).toBeUndefined();
    expect(news()).toEqual([]);
  });

  it('allows nothing when nothing is known of what it wanted', async () => {
    const { journal, put, find } = await aJournal();
    await put({ state: 'waiting' });
    await journal.decided('call-1', true);
    expect(find()).toMatchObject({ state: 'running', approved_lamports: 0 });
  });

  it('against a call leaves it to whoever ends it', async () => {
    const { journal, reserve, allow, find, news } = await aJournal();
    await allow(99);
    await reserve();
    const before = find();
    news();
    expect(await journal.decided('call-1', false)).toEqual(before);
    expect([find(), news()]).toEqual([before, []]);
  });

  it('is about no call that runs, that has ended or that is unknown', async () => {
    const { journal, put } = await aJournal();
    expect(await journal.decided('call-1', false)).toBeUndefined();
    await put({ state: 'done' });
    expect(await journal.decided('call-1', true)).toBeUndefined();
    expect(await journal.decided('call-9', true)).toBeUndefined();
  });
});

it('the paid top-ups of an agent are those that no balance has shown', async () => {
  const { journal, reserve } = await aJournal();
  const row = rowIn(await reserve(TOPUP));
  expect(journal.paidTopups('http://painter.example')).toEqual([]);
  const sent = await journal.sent(row);
  expect(journal.paidTopups('http://painter.example')).toEqual([sent]);
  expect(journal.paidTopups('http://carver.example')).toEqual([]);
});
