import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../storage/database/database.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { PaymentJournal } from './ledger/payment-journal.js';
import { type NewPayment, type Payment, PaymentsStore } from './payments-store.js';

const DAY_MS = 86_400_000;
const HERE = { network: 'solana:local', address: 'ours' } as const;

interface InStore {
  store: PaymentsStore;
  database: Database;
  /** Inserts a call of `painter`. */
  add(id: string, more?: Partial<NewPayment>): Payment;
  /** Opens an account of post-paid calls. */
  debtor(holder: string, agent?: string): number;
  ids(): string[];
}

/** Runs `check` in a write transaction of an empty store. */
const inStore = (check: (parts: InStore) => void) => async () => {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const store = new PaymentsStore(database);
  const add = (id: string, more: Partial<NewPayment> = {}) =>
    store.insert({
      id,
      kind: 'call',
      state: 'challenged',
      agent: 'painter',
      network: HERE.network,
      amount: 5,
      created_ms: 1,
      ...more,
    });
  const debtor = (holder: string, agent = 'painter') =>
    new PaymentJournal(database).open({ ...HERE, kind: 'owed', agent, holder }, 0).id;
  const ids = () =>
    database
      .sql('SELECT id FROM till_payments ORDER BY seq')
      .all()
      .map((row) => (row as { id: string }).id);
  await store.write(() => check({ store, database, add, debtor, ids }));
};

const idsOf = (payments: Payment[]) => payments.map(({ id }) => id);

describe('a payment', () => {
  it(
    'is read as it was written, without a value where none was given, and is updated as a whole',
    inStore(({ store, add }) => {
      const inserted = add('pay-1', { nonce: 'nonce-1', skill: 'paint', expires_ms: 600 });
      expect(inserted).toEqual({
        id: 'pay-1',
        kind: 'call',
        state: 'challenged',
        mode: null,
        agent: 'painter',
        skill: 'paint',
        network: HERE.network,
        amount: 5,
        counterparty: null,
        nonce: 'nonce-1',
        signature: null,
        account: null,
        last4: null,
        free_for: null,
        request_sha256: null,
        reason: null,
        latency_ms: null,
        expires_ms: 600,
        created_ms: 1,
        updated_ms: 1,
      });
      const paid: Payment = {
        ...inserted,
        state: 'settled',
        mode: 'x402',
        network: 'solana:devnet',
        amount: 6,
        counterparty: 'caller',
        signature: 'signature',
        request_sha256: 'digest',
        reason: 'unclaimed',
        latency_ms: 12,
        updated_ms: 9,
      };
      add('pay-2', { updated_ms: 3 });
      store.put(paid);
      expect([store.find('pay-1'), store.findByNonce('nonce-1')]).toEqual([paid, paid]);
      expect(store.find('pay-2')).toMatchObject({ state: 'challenged', amount: 5, updated_ms: 3 });
      expect([store.find('pay-3'), store.findByNonce('nonce-2')]).toEqual([undefined, undefined]);
    }),
  );

  it(
    'has the terms of its challenge and the result of its call, if there are any',
    inStore(({ store, add }) => {
      add('pay-1');
      expect([store.listTerms('pay-1'), store.findResult('pay-1')]).toEqual([[], undefined]);
      const terms = [{ ...HERE, amount: 5, tier: 'mini' }];
      store.insertTerms('pay-1', terms);
      store.insertResult('pay-1', { status: 200, body: '{"a":1}', refund: null }, 9);
      expect(store.listTerms('pay-1')).toEqual(terms);
      expect(store.findResult('pay-1')).toEqual({ status: 200, body: '{"a":1}', refund: null });
    }),
  );
});

it(
  'calls that run or are owed are listed oldest first and counted by caller and in all',
  inStore(({ store, add, debtor }) => {
    const [ann, ben, other] = [debtor('ann'), debtor('ben'), debtor('ann', 'sculptor')];
    add('pay-3', { state: 'owed', account: ann });
    add('pay-1', { state: 'paid', account: ann });
    add('pay-2', { state: 'settled', account: ann });
    add('pay-0', { state: 'paid', account: ben });
    add('pay-4', { state: 'owed', account: other });
    expect(idsOf(store.listRunning())).toEqual(['pay-1', 'pay-0']);
    expect(idsOf(store.listUnpaid(ann))).toEqual(['pay-3', 'pay-1']);
    expect([store.countUnpaid('painter', 'ann'), store.countUnpaid('painter', 'ben')]).toEqual([2, 1]);
    expect([store.countUnpaidInAll('painter'), store.countUnpaidInAll('sculptor')]).toEqual([3, 1]);
    expect(store.countUnpaidInAll('author')).toBe(0);
  }),
);

it(
  'an account has a settled call of a key only when a call on it that the key signed was settled, not a transfer',
  inStore(({ store, add, debtor }) => {
    const account = debtor('ann');
    add('pay-1', { kind: 'topup', state: 'settled', account });
    add('pay-2', { state: 'refunded', account, counterparty: 'ann' });
    expect(store.hasSettledCall(account, 'ann')).toBe(false);
    add('pay-3', { state: 'settled', account, counterparty: 'ann' });
    add('pay-4', { state: 'settled' });
    expect([account, account + 1, null].map((of) => store.hasSettledCall(of, 'ann'))).toEqual([true, false, false]);
    expect(store.hasSettledCall(account, 'ben')).toBe(false);
  }),
);

it(
  'open challenges are counted by agent or key, up to a limit, without the paid and the expired',
  inStore(({ store, add }) => {
    for (const [number, more] of [
      { expires_ms: 11 },
      { expires_ms: 11, counterparty: 'ann' },
      { expires_ms: 11, counterparty: 'ann' },
      { expires_ms: 11, counterparty: 'ben' },
      { expires_ms: 10, counterparty: 'ann' },
      { expires_ms: 11, counterparty: 'ann', signature: 'paid' },
      { expires_ms: 11, counterparty: 'ann', state: 'settled' as const },
      { expires_ms: 11, counterparty: 'ann', agent: 'sculptor' },
    ].entries())
      add(`pay-${number}`, more);
    expect(store.countStanding('painter', undefined, 10, 99)).toBe(4);
    expect(store.countStanding('painter', 'ann', 10, 99)).toBe(2);
    expect(store.countStanding('painter', undefined, 10, 3)).toBe(3);
  }),
);

describe('removal', () => {
  it(
    'with a new challenge takes ten unpaid challenges, the longest expired first, a day after they expired',
    inStore(({ store, add, ids }) => {
      for (let number = 12; number > 0; number -= 1) add(`pay-${number}`, { expires_ms: number });
      add('paid', { expires_ms: 1, signature: 'paid' });
      add('settled', { expires_ms: 1, state: 'settled' });
      store.pruneSome(DAY_MS + 12);
      expect(ids()).toEqual(['pay-12', 'pay-11', 'paid', 'settled']);
      store.pruneSome(DAY_MS + 12);
      expect(ids()).toEqual(['pay-12', 'paid', 'settled']);
    }),
  );

  it(
    'takes results, free calls and unpaid challenges past their retention, and nothing else',
    inStore(({ store, add, ids, database }) => {
      for (const [id, more] of [
        ['free-old', { mode: 'free', state: 'settled', created_ms: 9 }],
        ['free-failed', { mode: 'free', state: 'failed', created_ms: 9 }],
        ['free-running', { mode: 'free', state: 'paid', created_ms: 9 }],
        ['free-new', { mode: 'free', state: 'settled', created_ms: 10 }],
        ['call-old', { mode: 'x402', state: 'settled', created_ms: 1 }],
        ['asked-old', { expires_ms: 19 }],
        ['asked-paid', { expires_ms: 19, signature: 'paid' }],
        ['asked-new', { expires_ms: 20 }],
      ] as const)
        add(id, more);
      store.insertResult('call-old', { status: 200, body: '', refund: null }, 99);
      store.insertResult('asked-paid', { status: 200, body: '', refund: null }, 100);
      expect(store.prune(100, 10, 20)).toBe(false);
      expect(ids()).toEqual(['free-running', 'free-new', 'call-old', 'asked-paid', 'asked-new']);
      expect(database.sql('SELECT payment FROM till_results').all()).toEqual([{ payment: 'asked-paid' }]);
    }),
  );

  it(
    'goes on while there may be more of any kind',
    inStore(({ store, add, ids }) => {
      for (let number = 0; number < 1001; number += 1) add(`pay-${number}`, { expires_ms: 1 });
      expect([store.prune(100, 10, 20), ids().length]).toEqual([true, 1]);
      expect([store.prune(100, 10, 20), ids().length]).toEqual([false, 0]);
    }),
  );
});
