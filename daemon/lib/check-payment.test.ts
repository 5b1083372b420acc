import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPayment, lamportsPaidTo, type PaymentDue, type SeenPayment } from './check-payment.js';

const due: PaymentDue = { address: 'us', amount: 1000n, nonce: 'n_1', issuedAt: 1_800_000_000 };
const paid: SeenPayment = {
  failed: false,
  blockTime: due.issuedAt,
  transfers: [{ from: 'them', to: 'us', lamports: 1000n }],
  memos: ['n_1'],
  balanceChanges: new Map([
    ['them', -6000n],
    ['us', 1000n],
  ]),
};

describe('a payment', () => {
  it('does when it is confirmed, for us, enough, with the nonce and not older than it', () => {
    expect(checkPayment(paid, due)).toBeUndefined();
  });

  it('may come in parts, be too much, and be of a time that the network does not tell', () => {
    const transfers = [
      { from: 'them', to: 'us', lamports: 400n },
      { from: 'them', to: 'others', lamports: 5n },
      { from: 'them', to: 'us', lamports: 700n },
    ];
    expect(checkPayment({ ...paid, transfers, balanceChanges: new Map([['us', 1100n]]), blockTime: null }, due)).toBeUndefined();
  });

  it('to a wallet from itself counts: nobody but its owner can make one', () => {
    const own = { ...paid, transfers: [{ from: 'us', to: 'us', lamports: 1000n }], balanceChanges: new Map([['us', -5000n]]) };
    expect(checkPayment(own, due)).toBeUndefined();
  });

  it.each([
    ['transaction_failed', { failed: true }],
    ['wrong_wallet', { transfers: [{ from: 'them', to: 'others', lamports: 1000n }] }],
    ['wrong_wallet', { transfers: [] }],
    ['amount_too_small', { transfers: [{ from: 'them', to: 'us', lamports: 999n }], balanceChanges: new Map([['us', 999n]]) }],
    // What a program made of it does not count, and neither does what the balance has not gained.
    ['amount_too_small', { transfers: [{ from: 'them', to: 'us', lamports: 1n }] }],
    ['amount_too_small', { balanceChanges: new Map([['us', 1n]]) }],
    ['amount_too_small', { balanceChanges: new Map() }],
    ['memo_missing', { memos: [] }],
    ['memo_twice', { memos: ['n_1', 'n_1'] }],
    ['memo_twice', { memos: ['n_1', 'n_2'] }],
    ['memo_of_other_nonce', { memos: ['n_2'] }],
    ['memo_of_other_nonce', { memos: ['n_1 '] }],
    ['memo_of_other_nonce', { memos: [''] }],
    ['older_than_challenge', { blockTime: due.issuedAt - 1 }],
  ] as [string, Partial<SeenPayment>][])('is %s, case %#', (refusal, change) => {
    expect(checkPayment({ ...paid, ...change }, due)).toBe(refusal);
  });

  const transfer = fc.record({
    from: fc.constantFrom('them', 'others'),
    to: fc.constantFrom('us', 'others'),
    lamports: fc.bigInt(0n, 2n ** 64n - 1n),
  });
  const transaction = fc.record({
    failed: fc.boolean(),
    blockTime: fc.option(fc.integer({ min: due.issuedAt - 2, max: due.issuedAt + 2 })),
    transfers: fc.array(transfer, { maxLength: 4 }),
    memos: fc.array(fc.constantFrom('n_1', 'n_2', ''), { maxLength: 3 }),
    gained: fc.bigInt(-(2n ** 64n), 2n ** 64n),
  });

  it('that does has left us with at least the amount, whatever it says of itself', () => {
    fc.assert(
      fc.property(transaction, fc.bigInt(1n, 2n ** 63n), ({ gained, ...rest }, amount) => {
        const seen: SeenPayment = { ...rest, balanceChanges: new Map([['us', gained]]) };
        if (checkPayment(seen, { ...due, amount }) !== undefined) return;
        expect(seen.failed).toBe(false);
        expect(gained >= amount).toBe(true);
        expect(seen.memos).toEqual([due.nonce]);
        expect(seen.blockTime ?? due.issuedAt).toBeGreaterThanOrEqual(due.issuedAt);
      }),
    );
  });

  it('never counts for more than what was sent, nor than what was gained, nor for less than nothing', () => {
    fc.assert(
      fc.property(transaction, ({ gained, ...rest }) => {
        const seen: SeenPayment = { ...rest, balanceChanges: new Map([['us', gained]]) };
        const lamports = lamportsPaidTo('us', seen);
        const sent = seen.transfers.reduce((sum, { to, lamports: one }) => (to === 'us' ? sum + one : sum), 0n);
        expect(lamports >= 0n && lamports <= sent).toBe(true);
        expect(lamports === 0n || lamports <= gained).toBe(true);
      }),
    );
  });
});
