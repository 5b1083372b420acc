import { describe, expect, it } from 'vitest';
import {
  declarationLines,
  formatAmount,
  formatCaps,
  formatCounterparty,
  formatNetwork,
  formatReason,
  stateSentence,
} from './payment-format.js';

describe('payment texts', () => {
  it('mark a network without real money', () => {
    expect(formatNetwork('solana:local', false)).toBe('Local network: not real money');
    expect(formatNetwork('solana:devnet', false)).toBe('solana:devnet: not real money');
    expect(formatNetwork('solana:mainnet', true)).toBe('solana:mainnet');
  });

  it('show an amount in both units', () => expect(formatAmount(5_000)).toBe('5,000 lamports (0.000005 SOL)'));

  it('explain a cap of 0 and what the caps allow', () => {
    expect(formatCaps({ per_call_lamports: 0, per_day_lamports: 0 })).toMatch(/^Every payment needs your approval/);
    expect(formatCaps({ per_call_lamports: 10_000, per_day_lamports: 0 })).toMatch(
      /^Every payment needs your approval/,
    );
    expect(formatCaps({ per_call_lamports: 10_000, per_day_lamports: 50_000 })).toMatch(
      /^Up to 10,000 lamports a payment and 50,000/,
    );
    expect(formatCaps({ per_call_lamports: 90_000, per_day_lamports: 50_000 })).toMatch(
      /^Up to 50,000 lamports a payment/,
    );
  });

  it('translate known reasons and keep others unchanged', () => {
    expect(formatReason('memo_missing')).toBe('The transaction carries no memo.');
    expect(formatReason('5,000 lamports are over the cap of 0 for one payment.')).toMatch(/^5,000 lamports/);
  });

  it('distinguish both sides of one state', () => {
    const owed = { kind: 'call', state: 'owed', mode: 'postpay' } as const;
    expect(stateSentence({ ...owed, side: 'earned' })).toMatch(/the caller owes it/);
    expect(stateSentence({ ...owed, side: 'spent' })).toMatch(/you owe it/);
  });

  it('name payer and payee', () => {
    const call = { kind: 'call', agent: 'painter', mode: 'x402', state: 'settled' } as const;
    expect(formatCounterparty({ ...call, side: 'earned' })).toBe('earned by painter · paid for this call');
    expect(formatCounterparty({ ...call, side: 'spent', mode: null })).toBe('paid to painter');
    for (const state of ['challenged', 'waiting'] as const) {
      expect(formatCounterparty({ ...call, side: 'spent', state })).toBe('to painter · price of this call');
      expect(formatCounterparty({ ...call, side: 'earned', state })).toBe('for painter · price of this call');
    }
    expect(formatCounterparty({ ...call, side: 'spent', kind: 'topup', mode: 'deposit' })).toBe(
      'paid to painter · as a deposit',
    );
    expect(formatCounterparty({ ...call, side: 'spent', kind: 'transfer', mode: null })).toBe(
      'paid to painter · by hand',
    );
    const address = '2ZTr1nLmX3yeqbEwa9hUAGLBnHZYMt6hC3VJUFY7fp7J';
    expect(formatCounterparty({ side: 'spent', kind: 'transfer', agent: address, mode: null, state: 'settled' })).toBe(
      'paid to 2ZTr…fp7J · by hand',
    );
    expect(formatCounterparty({ side: 'earned', kind: 'transfer', agent: '', mode: null, state: 'settled' })).toBe(
      'into a wallet',
    );
  });

  it('list a payment declaration line by line', () => {
    const lines = declarationLines({
      modes: ['x402', 'deposit'],
      deposit: { min_lamports: 2_000, credit_unit: 'lamports' },
      postpay_min_reputation: 0.8,
      free_tier: { calls_per_day: 1, by: 'pubkey' },
    });
    expect(lines).toEqual([
      ['Free', '1 call a day for each caller that signs'],
      ['Per call', expect.stringContaining('402')],
      ['Prepaid', 'a deposit, at least 2,000 lamports (0.000002 SOL); each call is charged to it'],
      ['On credit', 'for callers with a reputation of 0.8 or more, up to 10 unpaid calls'],
    ]);
    expect(declarationLines({ modes: ['x402'], postpay_min_reputation: null }).at(-1)).toEqual([
      'On credit',
      'no: pay before the call',
    ]);
    expect(declarationLines({ modes: ['deposit'], deposit: { min_lamports: -1.5, credit_unit: 'x' } })[0]).toEqual([
      'Prepaid',
      'a deposit; each call is charged to it',
    ]);
    expect(declarationLines({})).toEqual([['On credit', 'no: pay before the call']]);
  });
});
