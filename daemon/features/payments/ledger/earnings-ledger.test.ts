import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../storage/database/database.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { type NewPayment, PaymentsStore } from '../payments-store.js';
import { EarningsLedger } from './earnings-ledger.js';
import type { LedgerPick } from './ledger-port.js';
import { PaymentJournal } from './payment-journal.js';
import { SeenStore } from './seen-store.js';
import { SettledPayments } from './settled-payments.js';

function aLedger() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const clock = new FakeClock();
  const store = new PaymentsStore(database);
  const ledger = new EarningsLedger(database, clock);
  const add = (id: string, more: Partial<NewPayment> = {}) =>
    store.write(() =>
      store.insert({
        id,
        kind: 'call',
        state: 'settled',
        mode: 'x402',
        agent: 'painter',
        network: 'solana:local',
        amount: 5,
        created_ms: 1000,
        ...more,
      }),
    );
  const list = (pick: Partial<LedgerPick> = {}) => ledger.list({ limit: 99, ...pick }).map(({ entry }) => entry);
  const ids = (pick: Partial<LedgerPick> = {}) => list(pick).map(({ id }) => id);
  return { database, clock, store, ledger, add, list, ids };
}

describe('what was earned', () => {
  it('is listed with all that a person may know of it, and whether the money is real', async () => {
    const { add, list, ledger } = aLedger();
    const more = {
      skill: 'paint',
      counterparty: 'caller',
      nonce: 'nonce-1',
      signature: 'signature',
      last4: '_abc',
      reason: 'unclaimed',
      latency_ms: 12,
      created_ms: 1999,
      updated_ms: 2999,
    };
    await add('pay-1', { ...more, network: 'solana:mainnet', request_sha256: 'digest', free_for: '{}' });
    const entry = {
      id: 'pay-1',
      side: 'earned',
      kind: 'call',
      state: 'settled',
      mode: 'x402',
      agent: 'painter',
      skill: 'paint',
      counterparty: 'caller',
      amount_lamports: 5,
      network: 'solana:mainnet',
      real: true,
      nonce: 'nonce-1',
      signature: 'signature',
      api_key_last4: '_abc',
      reason: 'unclaimed',
      latency_ms: 12,
      created_at: 1,
      updated_at: 2,
    };
    expect([ledger.side, ledger.list({ limit: 9 })]).toEqual(['earned', [{ createdMs: 1999, entry }]]);
    await add('pay-2', { network: 'solana:devnet' });
    expect(list({ agent: 'painter', q: 'devnet' })).toEqual([]);
    expect(list().find(({ id }) => id === 'pay-2')?.real).toBe(false);
  });

  it('is listed newest first and by id within a millisecond, from a place on, up to a limit', async () => {
    const { add, ids } = aLedger();
    for (const [id, created_ms] of [
      ['b', 2000],
      ['d', 1999],
      ['a', 2000],
      ['c', 3000],
    ] as const)
      await add(id, { created_ms });
    expect(ids()).toEqual(['c', 'b', 'a', 'd']);
    expect(ids({ before: { createdMs: 2000, id: 'b' } })).toEqual(['a', 'd']);
    expect(ids({ limit: 2 })).toEqual(['c', 'b']);
    expect(ids({ since: 2 })).toEqual(['c', 'b', 'a']);
  });

  it('is found by state, mode, agent and by a text in each of its fields', async () => {
    const { add, ids } = aLedger();
    await add('pay-one', { skill: 'paint', counterparty: 'ann', nonce: 'nonce-x', signature: 'sig-x', reason: 'why' });
    await add('pay-two', { agent: 'sculptor', state: 'refunded', mode: 'deposit' });
    for (const q of ['-one', 'painter', 'paint', 'ann', 'nonce-x', 'sig-x', 'why'])
      expect([q, ids({ q })]).toEqual([q, ['pay-one']]);
    expect(ids({ q: 'local' })).toEqual([]);
    for (const pick of [{ state: 'refunded' }, { mode: 'deposit' }, { agent: 'sculptor' }] as const)
      expect(ids(pick)).toEqual(['pay-two']);
  });

  it('shows a challenge as expired from its end on, changed at that time', async () => {
    const { clock, add, list } = aLedger();
    const expires_ms = clock.now() + 600_000;
    await add('pay-1', { state: 'challenged', expires_ms, created_ms: clock.now() });
    const seen = () => list().map(({ state, updated_at }) => [state, updated_at]);
    const states = (state: LedgerPick['state'] & string) => list({ state }).length;
    clock.advance(599_999);
    expect([seen(), states('challenged'), states('expired')]).toEqual([
      [['challenged', expires_ms / 1000 - 600]],
      1,
      0,
    ]);
    clock.advance(1);
    expect([seen(), states('challenged'), states('expired')]).toEqual([[['expired', expires_ms / 1000]], 0, 1]);
  });

  it('adds up by network: paid, refunded, balance, owed and the net', async () => {
    const { database, store, add, ledger } = aLedger();
    await add('pay-1', { state: 'refunded', amount: 40 });
    await add('pay-2', { state: 'refunded', amount: 7 });
    await add('pay-3', { state: 'refunded', mode: 'deposit', amount: 1000 });
    await add('pay-4', { amount: 1000 });
    await store.write(() => {
      const journal = new PaymentJournal(database);
      const open = (network: string, kind: 'chain' | 'earned' | 'balance' | 'owed') =>
        journal.open({ network, address: 'ours', kind, ...(kind === 'chain' ? {} : { agent: 'painter' }) }, 0).id;
      const move = (network: string, from: 'chain' | 'owed', to: 'earned' | 'balance', lamports: bigint) =>
        journal.move('deposit', open(network, from), open(network, to), lamports, 'pay-0', 0);
      move('solana:local', 'chain', 'earned', 100n);
      move('solana:local', 'owed', 'earned', 20n);
      move('solana:local', 'chain', 'balance', 47n);
      move('solana:mainnet', 'chain', 'earned', 3n);
    });
    const figures = (network: string, real: boolean, [paid, refunded, balance, owed, net]: readonly number[]) => ({
      side: 'earned',
      network,
      real,
      paid_lamports: paid,
      refunded_lamports: refunded,
      balance_lamports: balance,
      owed_lamports: owed,
      net_lamports: net,
    });
    expect(ledger.sums()).toEqual([
      figures('solana:local', false, [147, 47, 47, 20, 120]),
      figures('solana:mainnet', true, [3, 0, 0, 0, 3]),
    ]);
  });
});

describe('a transaction paid for a settled call', () => {
  it.each([
    ['directly, with a proof', 'proof', { state: 'settled' }, true],
    ['of another caller', 'proof', { state: 'settled', counterparty: 'ben' }, false],
    ['of a caller without a key', 'proof', { state: 'settled', counterparty: null }, false],
    ['that is still running', 'proof', { state: 'paid' }, false],
    ['that was refunded', 'proof', { state: 'refunded' }, false],
    ['of another agent', 'proof', { state: 'settled', agent: 'sculptor' }, false],
    ['although it matches nothing', 'unmatched', { state: 'settled' }, false],
    ['although it matches nothing, on an account', 'unmatched', { state: 'settled', account: 2 }, false],
    ['through a deposit that no call used', 'deposit', { state: 'settled', kind: 'topup', account: 1 }, false],
    ['through a deposit that a call used', 'deposit', { state: 'settled', kind: 'topup', account: 2 }, true],
    ['through a debt', 'debt', { state: 'settled', kind: 'transfer', account: 2 }, true],
    ['through a deposit without an account', 'deposit', { state: 'settled', kind: 'topup' }, false],
    ['that is not stored any more', 'proof', { state: 'settled', id: 'pay-0' }, false],
  ] as const)('%s', async (_, spentOn, more, isSettled) => {
    const { database, store, add } = aLedger();
    await store.write(() => {
      const journal = new PaymentJournal(database);
      for (const holder of ['unused', 'used'])
        journal.open({ network: 'solana:local', address: 'ours', kind: 'balance', agent: 'painter', holder }, 0);
      new SeenStore(database).spend('solana:local', 'signature', 'ours', spentOn, 'pay-1');
    });
    await add('pay-1', { counterparty: 'ann', ...more });
    await add('pay-2', { account: 2, counterparty: 'ann' });
    const settled = new SettledPayments(database);
    expect(settled.isSettled('painter', 'solana:local', 'signature', 'ann')).toBe(isSettled);
    expect(settled.isSettled('painter', 'solana:devnet', 'signature', 'ann')).toBe(false);
  });
});
