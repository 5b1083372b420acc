import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../../daemon/contract/payments.js';
import { formatParties, groupByCall, isUnpaidRequest, isWithin } from './call-groups.js';

const entry = (id: string, values: Partial<LedgerEntry>): LedgerEntry => ({
  id,
  side: 'earned',
  kind: 'call',
  state: 'settled',
  mode: 'x402',
  agent: 'consultant',
  skill: 'ask',
  counterparty: null,
  amount_lamports: 5_000,
  network: 'solana:local',
  real: false,
  nonce: null,
  signature: null,
  api_key_last4: null,
  reason: null,
  latency_ms: null,
  created_at: 0,
  updated_at: 0,
  ...values,
});

describe('entries of one call', () => {
  it('are one group, which shows the call and names who earned', () => {
    const earned = entry('pay-a', { nonce: 'n1', signature: 's1' });
    const spent = entry('pay-b', { side: 'spent', agent: 'lamp-consultant', nonce: 'n1', signature: 's1' });
    const [group, ...rest] = groupByCall([earned, spent]);
    expect(rest).toEqual([]);
    expect(group).toEqual({ entry: spent, others: [earned] });
    expect(group && isWithin(group)).toBe(true);
    expect(group && formatParties(group)).toBe('paid to lamp-consultant · paid for this call · earned by consultant');
  });

  it('are joined by the transaction, also when the transfer is listed first', () => {
    const byHand = entry('pay-c', { side: 'spent', kind: 'transfer', mode: null, skill: null, signature: 's2' });
    const earned = entry('pay-d', { nonce: 'n2', signature: 's2' });
    expect(groupByCall([byHand, earned])).toEqual([{ entry: earned, others: [byHand] }]);
  });

  it('stay apart without a nonce and a transaction, in their order', () => {
    const free = [entry('pay-e', { mode: 'free' }), entry('pay-f', { mode: 'free' })];
    expect(groupByCall(free).map((group) => group.entry.id)).toEqual(['pay-e', 'pay-f']);
  });

  it('are an unpaid request when it expired and nothing belongs to it', () => {
    const [expired] = groupByCall([entry('pay-g', { state: 'expired', nonce: 'n3' })]);
    const [settled] = groupByCall([entry('pay-h', { nonce: 'n4' })]);
    expect([expired, settled].map((group) => group && isUnpaidRequest(group))).toEqual([true, false]);
  });
});
