import { describe, expect, it } from 'vitest';
import type { CallRow } from './calls-store.js';
import { approvalEnds, toApproval, toCall, toLedgerEntry } from './spending-views.js';
import type { SpentRow } from './spent-store.js';

const DAY_MS = 86_400_000;

const aCall = (changes: Partial<CallRow> = {}): CallRow => ({
  ...{ seq: 7, call_id: 'call-1', state: 'running', agent: 'Painter', agent_id: null, agent_url: null },
  ...{ skill: 'paint', input: { prompt: 'a lamp' }, asked_mode: 'auto', max_lamports: 9, topup_lamports: 8 },
  ...{ wants_report: true, is_committed: true, approved_lamports: 3, wanted: null, waiting_ms: null, mode: null },
  ...{ amount_lamports: null, network: null, is_real: false, payment_id: null, signature: null, latency_ms: null },
  ...{ result: null, reputation_filed: null, error_code: null, error_message: null, reason: null },
  ...{ created_ms: 1_999, answered_ms: null, finished_ms: null },
  ...changes,
});

describe('a call as the operator sees it', () => {
  const RUNNING = {
    ...{ call_id: 'call-1', state: 'running', agent: 'Painter', agent_url: null, skill: 'paint', mode: null },
    ...{ amount_lamports: null, network: null, real: false, payment_id: null, signature: null, latency_ms: null },
    ...{ created_at: 1, finished_at: null },
  };

  it('has what it costs and how it was paid, in seconds, and nothing of its input', () => {
    expect(toCall(aCall())).toStrictEqual(RUNNING);
    const paid: Partial<CallRow> = {
      ...{ agent_url: 'http://painter.example', mode: 'x402', amount_lamports: 5, network: 'solana:devnet' },
      ...{ payment_id: 'pay-1', signature: 'sig', latency_ms: 12 },
    };
    expect(toCall(aCall({ ...paid, agent_id: 'painter', is_real: true, finished_ms: 5_999 }))).toStrictEqual({
      ...RUNNING,
      ...paid,
      ...{ agent: 'painter', real: true, finished_at: 5 },
    });
  });

  it('has its result once it is done, and the answer of the bureau if there was one; in a list neither', () => {
    const row = aCall({ state: 'done', result: { painted: true }, reputation_filed: { ok: true } });
    const done = { ...RUNNING, state: 'done' };
    expect(toCall(row)).toStrictEqual({ ...done, result: { painted: true }, reputation_filed: { ok: true } });
    expect(toCall(row, false)).toStrictEqual(done);
    expect(toCall(aCall({ state: 'done' }))).toStrictEqual({ ...done, result: null });
    expect(toCall(aCall({ result: { painted: true } }))).toStrictEqual(RUNNING);
  });

  it('has why it failed', () => {
    const failed = { ...RUNNING, state: 'failed' };
    expect(toCall(aCall({ state: 'failed', error_code: 'denied', error_message: 'No.' }))).toStrictEqual({
      ...failed,
      error: { code: 'denied', message: 'No.' },
    });
    expect(toCall(aCall({ state: 'failed', error_code: 'denied' }), false)).toStrictEqual({
      ...failed,
      error: { code: 'denied', message: '' },
    });
  });

  it('has why it waits, while it does', () => {
    expect(toCall(aCall({ state: 'waiting', reason: 'Over.' }))).toStrictEqual({
      ...RUNNING,
      ...{ state: 'waiting', reason: 'Over.' },
    });
    expect(toCall(aCall({ state: 'waiting' }))).toStrictEqual({ ...RUNNING, state: 'waiting' });
    expect(toCall(aCall({ reason: 'Over.' }))).toStrictEqual(RUNNING);
  });
});

describe('an approval', () => {
  it('ends a day after its call began to wait', () => {
    expect(approvalEnds({ waiting_ms: 5, created_ms: 1 })).toBe(DAY_MS + 5);
    expect(approvalEnds({ waiting_ms: null, created_ms: 1 })).toBe(DAY_MS + 1);
  });

  it('has what is to be paid, to whom and why', () => {
    const wanted = { amount: 5, network: 'solana:mainnet', address: 'payee', is_real: true };
    const row = aCall({ state: 'waiting', agent_id: 'painter', wanted, reason: 'Over.', waiting_ms: 60_500 });
    expect(toApproval(row)).toStrictEqual({
      ...{ call_id: 'call-1', agent: 'painter', skill: 'paint', amount_lamports: 5, network: 'solana:mainnet' },
      ...{ real: true, address: 'payee', reason: 'Over.', created_at: 60, expires_at: 60 + 86_400 },
    });
    expect(toApproval(aCall({ state: 'waiting' }))).toStrictEqual({
      ...{ call_id: 'call-1', agent: 'Painter', skill: 'paint', amount_lamports: 0, network: '', real: false },
      ...{ address: '', reason: '', created_at: 1, expires_at: 86_401 },
    });
  });
});

it('an entry of the ledger has all of a payment but its memo, its transfer and its call', () => {
  const row: SpentRow = {
    ...{ payment_id: 'pay-1', call_id: 'call-1', kind: 'topup', state: 'paid', mode: 'deposit', agent: 'painter' },
    ...{ agent_url: 'http://painter.example', skill: 'paint', address: 'payee', amount_lamports: 5 },
    ...{ network: 'solana:mainnet', is_real: true, nonce: 'nonce', expires_at: 9, settle_memo: 'memo' },
    ...{ settled_by: 'pay-2', signature: 'sig', wire: 'wire', signed_ms: 2, api_key_last4: '1234', reason: 'why' },
    ...{ latency_ms: 12, is_counted: true, counted_ms: 1, created_ms: 1_999, updated_ms: 2_999 },
  };
  expect(toLedgerEntry(row)).toStrictEqual({
    ...{ id: 'pay-1', side: 'spent', kind: 'topup', state: 'paid', mode: 'deposit', agent: 'painter', skill: 'paint' },
    ...{ counterparty: 'payee', amount_lamports: 5, network: 'solana:mainnet', real: true, nonce: 'nonce' },
    ...{ signature: 'sig', api_key_last4: '1234', reason: 'why', latency_ms: 12, created_at: 1, updated_at: 2 },
  });
});
