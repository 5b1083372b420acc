import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../storage/database/database.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { onWire, PaymentJournal } from './payment-journal.js';

const HERE = { network: 'solana:local', address: 'ours' } as const;
const THERE = { network: 'solana:devnet', address: 'ours' } as const;
const KEY = { ...HERE, kind: 'balance', agent: 'painter', holder: 'digest' } as const;

/** Runs `check` in a write transaction of an empty journal. */
const inJournal = (check: (journal: PaymentJournal, database: Database) => void) => async () => {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  await database.write(() => check(new PaymentJournal(database), database));
};

/** Opens a deposit key of `agent` that was opened at `createdMs` and received `lamports`. */
function addKey(journal: PaymentJournal, holder: string, { agent = 'painter', createdMs = 0, lamports = 0n } = {}) {
  const key = journal.open({ ...HERE, kind: 'balance', agent, holder }, createdMs, { text: `tk_${holder}` });
  if (lamports > 0n)
    journal.move('deposit', journal.open({ ...HERE, kind: 'chain' }, 0).id, key.id, lamports, 'pay-0', 0);
  return key.id;
}

it.each([
  [-1n, 0],
  [0n, 0],
  [5n, 5],
  [9_007_199_254_740_991n, Number.MAX_SAFE_INTEGER],
  [9_007_199_254_740_992n, Number.MAX_SAFE_INTEGER],
])('%s lamports are stated as %s', (lamports, stated) => expect(onWire(lamports)).toBe(stated));

describe('an account', () => {
  it(
    'is opened once, and is found by its place, its number and its memo',
    inJournal((journal) => {
      expect([journal.find(KEY), journal.findByMemo('tk_one')]).toEqual([undefined, undefined]);
      const opened = journal.open(KEY, 7, { text: 'tk_one', last4: '_one', minLamports: 300 });
      expect(opened).toEqual({ ...KEY, id: 1, last4: '_one', min_lamports: 300n, lamports: 0n });
      for (const found of [journal.open(KEY, 8), journal.find(KEY), journal.get(1), journal.findByMemo('tk_one')])
        expect(found).toEqual(opened);
      const chain = journal.open({ ...HERE, kind: 'chain' }, 7);
      expect(chain).toMatchObject({ id: 2, agent: '', holder: '', last4: null, min_lamports: 0n });
      expect(journal.find({ ...HERE, kind: 'chain' })?.id).toBe(2);
      expect(journal.open({ ...KEY, holder: 'another' }, 7).id).toBe(3);
    }),
  );

  it(
    'takes a new memo in place of its old one',
    inJournal((journal) => {
      journal.open(KEY, 7, { text: 'tk_one' });
      journal.open(KEY, 7, { text: 'tk_two' });
      expect([journal.findByMemo('tk_one'), journal.findByMemo('tk_two')?.id]).toEqual([undefined, 1]);
    }),
  );

  it(
    'holds more lamports than a number can count',
    inJournal((journal) => {
      const [chain, unmatched] = (['chain', 'unmatched'] as const).map((kind) => journal.open({ ...HERE, kind }, 0).id);
      journal.move('unmatched', chain as number, unmatched as number, 2n ** 53n + 1n, 'pay-1', 0);
      expect(journal.get(unmatched as number).lamports).toBe(9_007_199_254_740_993n);
      expect(journal.getReceived(HERE.network, HERE.address)).toBe(9_007_199_254_740_993n);
      expect(journal.getReceived(THERE.network, THERE.address)).toBe(0n);
    }),
  );
});

it(
  'a debit takes the whole price or nothing, for the agent of the account',
  inJournal((journal, database) => {
    const account = journal.get(addKey(journal, 'a', { lamports: 10n }));
    const earned = () => journal.earned(account, 0);
    expect(journal.debit(account, 11, 'pay-1', 5)).toBeUndefined();
    expect(journal.debit(account, 4, 'pay-2', 5)).toBe(6n);
    expect(journal.debit(account, 6, 'pay-3', 6)).toBe(0n);
    expect(journal.debit(account, 1, 'pay-4', 7)).toBeUndefined();
    expect(earned()).toMatchObject({ ...HERE, kind: 'earned', agent: 'painter', holder: '', lamports: 10n });
    const rows = database.sql("SELECT why, lamports, payment, created_ms FROM till_journal WHERE why = 'debit'").all();
    expect(rows).toEqual([
      { why: 'debit', lamports: 4, payment: 'pay-2', created_ms: 5 },
      { why: 'debit', lamports: 6, payment: 'pay-3', created_ms: 6 },
    ]);
    expect(journal.audit()).toEqual([]);
  }),
);

describe('accounts that never received money', () => {
  const holders = (database: Database) =>
    database
      .sql("SELECT holder FROM till_accounts WHERE holder <> '' ORDER BY id")
      .all()
      .map((row) => (row as { holder: string }).holder);

  it(
    'are removed, those from before a time, at most as many as given',
    inJournal((journal, database) => {
      for (const [holder, createdMs] of [
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ] as const)
        addKey(journal, holder, { createdMs });
      journal.forgetUnused(3, 1);
      expect(holders(database)).toHaveLength(2);
      journal.forgetUnused(3);
      expect(holders(database)).toEqual(['c']);
    }),
  );

  it(
    'stay while money, a payment or a refund names them',
    inJournal((journal, database) => {
      addKey(journal, 'used', { lamports: 1n });
      const [named, refunded] = [addKey(journal, 'named'), addKey(journal, 'refunded')];
      addKey(journal, 'unused');
      database
        .sql(
          `INSERT INTO till_payments (id, kind, state, agent, network, amount, account, created_ms, updated_ms)
           VALUES ('pay-1', 'call', 'settled', 'painter', 'solana:local', 1, ?, 0, 0)`,
        )
        .run(named);
      database
        .sql("INSERT INTO till_results (payment, status, body, refund, kept_until_ms) VALUES ('pay-1', 500, '', ?, 9)")
        .run(refunded);
      journal.forgetUnused(1);
      expect(holders(database)).toEqual(['used', 'named', 'refunded']);
    }),
  );

  it(
    'of one agent are counted up to a limit and removed without those of others and without memos of debts',
    inJournal((journal, database) => {
      for (const holder of ['a', 'b', 'c']) addKey(journal, holder);
      addKey(journal, 'used', { lamports: 1n });
      addKey(journal, 'other', { agent: 'sculptor' });
      journal.open({ ...HERE, kind: 'owed', agent: 'painter', holder: 'debtor' }, 0, { text: 'settle_1' });
      expect([journal.countWaiting('painter', 9), journal.countWaiting('painter', 2)]).toEqual([3, 2]);
      journal.forgetUnused(1, 2, 'painter');
      expect(journal.countWaiting('painter', 9)).toBe(1);
      journal.forgetUnused(1, 9, 'painter');
      expect(holders(database)).toEqual(['used', 'other', 'debtor']);
      journal.forgetUnused(1);
      expect(holders(database)).toEqual(['used']);
    }),
  );
});

describe('the totals', () => {
  it(
    'count for each agent and network what is earned, held and owed; what is paid ahead is held',
    inJournal((journal, database) => {
      const into = (place: Parameters<PaymentJournal['open']>[0], lamports: bigint) => {
        const chain = journal.open({ network: place.network, address: place.address, kind: 'chain' }, 0);
        journal.move('deposit', chain.id, journal.open(place, 0).id, lamports, 'pay-1', 0);
      };
      expect([journal.earnings(), journal.sums(), journal.earnedInAll()]).toEqual([[], [], 0]);
      into(KEY, 50n);
      journal.open({ ...KEY, holder: 'empty' }, 0);
      into({ ...HERE, kind: 'owed', agent: 'painter', holder: 'ahead' }, 3n);
      const debt = journal.open({ ...HERE, kind: 'owed', agent: 'painter', holder: 'behind' }, 0);
      journal.move('debt', debt.id, journal.earned({ ...HERE, agent: 'painter' }, 0).id, 20n, 'pay-2', 0);
      into({ ...HERE, address: 'newer', kind: 'earned', agent: 'painter' }, 5n);
      into({ ...THERE, kind: 'earned', agent: 'painter' }, 70n);
      into({ ...HERE, kind: 'earned', agent: 'author' }, 9n);
      into({ ...HERE, kind: 'unmatched' }, 1000n);
      const none = { balances_lamports: 0, owed_lamports: 0, keys: 0 };
      expect(journal.earnings()).toEqual([
        { agent: 'author', ...HERE, earned_lamports: 9, ...none },
        { agent: 'painter', ...THERE, earned_lamports: 70, ...none },
        {
          agent: 'painter',
          network: 'solana:local',
          address: 'newer',
          earned_lamports: 25,
          balances_lamports: 53,
          owed_lamports: 20,
          keys: 1,
        },
      ]);
      expect(journal.sums()).toEqual([
        { network: 'solana:devnet', earned: 70, balances: 0, owed: 0 },
        { network: 'solana:local', earned: 34, balances: 53, owed: 20 },
      ]);
      expect(journal.earnedInAll()).toBe(104);
      expect(journal.audit()).toEqual([]);

      database
        .sql("UPDATE till_accounts SET lamports = 6, moves = moves + 1 WHERE address = 'newer' AND kind = 'earned'")
        .run();
      expect(journal.audit()).toEqual(['solana:local newer earned painter', 'solana:local newer']);
    }),
  );
});
