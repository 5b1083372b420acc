import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import { type Transaction, Transactions } from './transaction.js';

function openStore() {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const keys = () =>
    (database.sql('SELECT key FROM idempotency ORDER BY key').all() as { key: string }[]).map(({ key }) => key);
  return { database, transactions: new Transactions(database), keys };
}

const insert = (transaction: Transaction, key: string) =>
  transaction
    .sql("INSERT INTO idempotency (scope, key, body_sha256, response, created_ms) VALUES ('s', ?, '', '1', 1)")
    .run(key);

it('runs the callbacks in order, once, after the commit and before the result', async () => {
  const { database, transactions, keys } = openStore();
  const calls: string[] = [];
  const result = await transactions.run((transaction) => {
    transaction.afterCommit(() => {
      // `BEGIN` throws while a transaction is open.
      database.sql('BEGIN IMMEDIATE').run();
      database.sql('ROLLBACK').run();
      calls.push(`first ${keys()}`);
    });
    insert(transaction, 'a');
    transaction.afterCommit(() => calls.push('second'));
    expect(calls).toEqual([]);
    return 'result';
  });
  expect([result, calls]).toEqual(['result', ['first a', 'second']]);
  await transactions.run((transaction) => insert(transaction, 'b'));
  expect(calls).toHaveLength(2);
});

it('runs no callback of a change that throws, and all of the others in the same commit', async () => {
  const { transactions, keys } = openStore();
  const calls: string[] = [];
  const put = (key: string, fails: boolean) =>
    transactions.run((transaction) => {
      transaction.afterCommit(() => calls.push(key));
      insert(transaction, key);
      if (fails) throw new RangeError(key);
    });
  const results = await Promise.allSettled([put('a', false), put('b', true), put('c', false)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect([calls, keys()]).toEqual([
    ['a', 'c'],
    ['a', 'c'],
  ]);
});

it('runs no callback when the commit itself fails', async () => {
  const { transactions, keys } = openStore();
  const calls: string[] = [];
  const run = transactions.run((transaction) => {
    transaction.afterCommit(() => calls.push('called'));
    insert(transaction, 'a');
    // The commit detects a row that violates a deferred foreign key.
    transaction.sql('PRAGMA defer_foreign_keys = ON').run();
    transaction
      .sql(
        "INSERT INTO turns (turn, conv, state, profile, text, created_ms) VALUES ('t', 'none', 'queued', " +
          "'operator', '', 0)",
      )
      .run();
  });
  await expect(run).rejects.toMatchObject({ code: 'store_readonly' });
  expect([calls, keys()]).toEqual([[], []]);
});

it('joins a nested run to the outer transaction', async () => {
  const { transactions, keys } = openStore();
  const calls: string[] = [];
  let nested: Promise<string> | undefined;
  await transactions.run((transaction) => {
    transaction.afterCommit(() => calls.push('before'));
    insert(transaction, 'outer');
    nested = transactions.run((inner) => {
      insert(inner, 'inner');
      inner.afterCommit(() => calls.push('inside'));
      return 'inner result';
    });
    expect(keys()).toEqual(['inner', 'outer']);
    transaction.afterCommit(() => calls.push('after'));
    expect(calls).toEqual([]);
  });
  expect(await nested).toBe('inner result');
  expect([calls, keys()]).toEqual([
    ['before', 'inside', 'after'],
    ['inner', 'outer'],
  ]);
});

it.each([
  ['the nested run, though the outer change goes on', true],
  ['the outer change, after the nested run has returned', false],
])('rolls everything back when the error comes from %s', async (_from, isInner) => {
  const { transactions, keys } = openStore();
  const calls: string[] = [];
  let nested: Promise<unknown> = Promise.resolve();
  const outer = transactions.run((transaction) => {
    insert(transaction, 'outer');
    transaction.afterCommit(() => calls.push('outer'));
    nested = transactions.run((inner) => {
      insert(inner, 'inner');
      inner.afterCommit(() => calls.push('inner'));
      if (isInner) throw new RangeError('no');
    });
    nested.catch(() => undefined);
    if (!isInner) throw new RangeError('no');
  });
  await expect(outer).rejects.toThrow(RangeError);
  await expect(nested).rejects.toThrow(RangeError);
  expect([calls, keys()]).toEqual([[], []]);
  await transactions.run((transaction) => insert(transaction, 'next'));
  expect(keys()).toEqual(['next']);
});

it('runs the other callbacks when one throws, and rejects with its error', async () => {
  const { transactions, keys } = openStore();
  const calls: string[] = [];
  const run = transactions.run((transaction) => {
    insert(transaction, 'a');
    transaction.afterCommit(() => {
      throw new RangeError('no');
    });
    transaction.afterCommit(() => calls.push('second'));
  });
  await expect(run).rejects.toThrow(RangeError);
  expect([calls, keys()]).toEqual([['second'], ['a']]);
});

it('runs the callbacks of each caller in its own async context, even when one commit serves both', async () => {
  const { transactions } = openStore();
  const context = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const put = (key: string) =>
    context.run(key, () =>
      transactions.run((transaction) => {
        insert(transaction, key);
        transaction.afterCommit(() => seen.push(context.getStore()));
      }),
    );
  await Promise.all([put('a'), put('b')]);
  expect(seen).toEqual(['a', 'b']);
});

it('rolls back an attempt alone, with its callbacks and with what it joined', async () => {
  const { transactions, keys } = openStore();
  const calls: string[] = [];
  await transactions.run((transaction) => {
    insert(transaction, 'a');
    const fail = () =>
      transactions.attempt((attempt) => {
        insert(attempt, 'b');
        attempt.afterCommit(() => calls.push('b'));
        // Its error is the caller's, and the attempt fails although it is caught.
        void transactions
          .run(() => {
            throw new RangeError('joined');
          })
          .catch(() => undefined);
      });
    expect(fail).toThrow('joined');
    transactions.attempt((attempt) => insert(attempt, 'c'));
    transaction.afterCommit(() => calls.push('a'));
  });
  expect([keys(), calls]).toEqual([['a', 'c'], ['a']]);
  expect(() => transactions.attempt(() => undefined)).toThrow('running transaction');
});

it('rolls everything back when an attempt has undone the whole transaction, though its error is caught', async () => {
  const { database, transactions, keys } = openStore();
  const pages = database.sql('PRAGMA page_count').pluck().get();
  database.sql(`PRAGMA max_page_count = ${pages}`).get();
  const calls: string[] = [];
  const run = transactions.run((transaction) => {
    transaction.afterCommit(() => calls.push('called'));
    insert(transaction, 'a');
    expect(() => transactions.attempt((attempt) => insert(attempt, 'x'.repeat(100_000)))).toThrow('full');
  });
  await expect(run).rejects.toMatchObject({ code: 'no_space' });
  expect([keys(), calls]).toEqual([[], []]);
  database.sql('PRAGMA max_page_count = 1000000').get();
  await transactions.run((transaction) => insert(transaction, 'b'));
  expect(keys()).toEqual(['b']);
});

it('returns the result of an attempt, which needs a running transaction', async () => {
  const { transactions } = openStore();
  expect(await transactions.run(() => transactions.attempt(() => 7))).toBe(7);
  expect(() => transactions.attempt(() => 7)).toThrow('attempt() needs a running transaction.');
});

it('still rejects with the first error when a later part and a later attempt fail too', async () => {
  const { transactions, keys } = openStore();
  const run = transactions.run((transaction) => {
    insert(transaction, 'a');
    for (const name of ['first', 'second'])
      void transactions
        .run(() => {
          throw new RangeError(name);
        })
        .catch(() => undefined);
    expect(() =>
      transactions.attempt(() => {
        throw new RangeError('third');
      }),
    ).toThrow('third');
  });
  await expect(run).rejects.toThrow('first');
  expect(keys()).toEqual([]);
});
