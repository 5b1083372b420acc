import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { IDEMPOTENCY_RETENTION_HOURS } from '../../contract/limits.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import { once } from './idempotency.js';

const DAY_MS = IDEMPOTENCY_RETENTION_HOURS * 3_600_000;

it('removes expired keys with each new one, a few at a time, and never one that is not expired', async () => {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const use = (key: string, nowMs: number) =>
    database.write(() => once(database, { scope: 's', key, body_sha256: '' }, nowMs, () => key));
  const count = () => (database.sql('SELECT count(*) AS n FROM idempotency').get() as { n: number }).n;
  for (let number = 0; number < 25; number += 1) await use(`old-${number}`, number);
  await use('of the day', DAY_MS);
  // The keys of the first milliseconds are not removed before the new key is added.
  expect(count()).toBe(25);
  await use('next', 2 * DAY_MS - 1);
  expect(count()).toBe(16);
  await use('after', 2 * DAY_MS - 1);
  expect(count()).toBe(7);
  await use('last', 2 * DAY_MS - 1);
  expect(database.sql('SELECT key FROM idempotency ORDER BY created_ms, key').all()).toEqual(
    ['of the day', 'after', 'last', 'next'].map((key) => ({ key })),
  );
});

it('repeats the first response for a day and no longer, although nothing has removed the key yet', async () => {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const use = (body_sha256: string, nowMs: number, answer: string) =>
    database.write(() => once(database, { scope: 's', key: 'k', body_sha256 }, nowMs, () => answer));
  expect(await use('a', 1, 'first')).toBe('first');
  expect(await use('a', DAY_MS, 'second')).toBe('first');
  await expect(use('b', DAY_MS, 'second')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  expect(await use('b', DAY_MS + 1, 'second')).toBe('second');
  expect(await use('b', 2 * DAY_MS, 'third')).toBe('second');
});

it('accepts an expired key again while older ones wait to be removed', async () => {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const use = (key: string, nowMs: number, answer: string) =>
    database.write(() => once(database, { scope: 's', key, body_sha256: answer }, nowMs, () => answer));
  for (let number = 0; number < 15; number += 1) await use(`old-${number}`, number, 'old');
  await use('k', 20, 'first');
  expect(await use('k', DAY_MS + 20, 'second')).toBe('second');
  expect(await use('k', DAY_MS + 21, 'second')).toBe('second');
});
