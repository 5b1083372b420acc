import { expect, it } from 'vitest';
import { toLedgerSum } from './ledger-sum.js';

it('the net is what was paid, less what is still a balance, and what is owed besides', () => {
  const figures = { side: 'spent', network: 'solana:local', real: false } as const;
  expect(toLedgerSum({ ...figures, paid: 1_000, refunded: 70, balance: 300, owed: 5 })).toEqual({
    ...figures,
    paid_lamports: 1_000,
    refunded_lamports: 70,
    balance_lamports: 300,
    owed_lamports: 5,
    net_lamports: 705,
  });
});
