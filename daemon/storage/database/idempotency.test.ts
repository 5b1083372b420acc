import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IDEMPOTENCY_RETENTION_HOURS } from '../../contract/limits.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import {
  deleteKeysWithPrefix,
  findAnswer,
  forgetAnswersAbout,
  forgetOldKeys,
  once,
  onceShared,
  putAnswer,
} from './idempotency.js';

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

function openAnswers() {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const shared = () => database.sql('SELECT scope, key FROM shared_answers ORDER BY scope, key').raw().all();
  const put = (scope: string, key: string, answer: unknown, nowMs = 0) =>
    putAnswer(database, { scope, key, body_sha256: '' }, nowMs, answer, 'shared_answers');
  return { database, shared, put };
}

it('runs a change each time when the request has no key, and stores nothing', () => {
  const { database, shared } = openAnswers();
  let runs = 0;
  for (const run of [once, onceShared]) for (const _ of [1, 2]) run(database, undefined, 1, () => (runs += 1));
  expect([runs, shared(), database.sql('SELECT * FROM idempotency').all()]).toEqual([4, [], []]);
  expect(findAnswer(database, undefined, 1)).toBeUndefined();
});

it('keeps the responses of commands apart from those of requests about this daemon', () => {
  const { database } = openAnswers();
  const key = { scope: 's', key: 'k', body_sha256: 'a' };
  expect(onceShared(database, key, 1, () => ({ id: 'shared' }))).toEqual({ id: 'shared' });
  expect(once(database, key, 1, () => 'own')).toBe('own');
  expect(onceShared(database, key, 1, () => ({ id: 'again' }))).toEqual({ id: 'shared' });
  expect([findAnswer(database, key, 1), findAnswer(database, key, 1, 'shared_answers')]).toEqual([
    { answer: 'own' },
    { answer: { id: 'shared' } },
  ]);
  expect(() => onceShared(database, { ...key, body_sha256: 'b' }, 1, () => 'other')).toThrow(
    'This Idempotency-Key was used with another body: take a fresh key.',
  );
});

it('keeps a response for its scope and key alone', () => {
  const { database } = openAnswers();
  putAnswer(database, { scope: 's', key: 'k', body_sha256: 'a' }, 1, null);
  const find = (scope: string, key: string) => findAnswer(database, { scope, key, body_sha256: 'a' }, 1);
  expect([find('s', 'k'), find('t', 'k'), find('s', 'l')]).toEqual([{ answer: null }, undefined, undefined]);
});

describe('the responses of commands', () => {
  it('are deleted for every scope with a prefix', () => {
    const { database, shared, put } = openAnswers();
    for (const scope of ['room/1', 'room/1/x', 'room/1\u{10fffe}', 'room/0', 'room/2', 'other']) put(scope, 'k', {});
    deleteKeysWithPrefix(database, 'room/1');
    expect(shared()).toEqual(['other', 'room/0', 'room/2'].map((scope) => [scope, 'k']));
  });

  it('are deleted for the object that they are about, in one scope', () => {
    const { database, shared, put } = openAnswers();
    put('s', 'about', { id: 'x' });
    put('s', 'about another', { id: 'y', other: { id: 'x' } });
    put('s', 'without', { name: 'x' });
    put('t', 'about', { id: 'x' });
    forgetAnswersAbout(database, 's', 'x');
    expect(shared()).toEqual([
      ['s', 'about another'],
      ['s', 'without'],
      ['t', 'about'],
    ]);
  });

  it('are all forgotten after a day, in the table that is named', () => {
    const { database, shared, put } = openAnswers();
    for (let number = 0; number < 25; number += 1) put('s', `old-${number}`, {}, 0);
    put('s', 'new', {}, 1);
    putAnswer(database, { scope: 's', key: 'own', body_sha256: '' }, 0, {});
    const own = () => database.sql('SELECT key FROM idempotency').pluck().all();
    forgetOldKeys(database, DAY_MS - 1, 'shared_answers');
    expect([shared().length, own()]).toEqual([26, ['own']]);
    forgetOldKeys(database, DAY_MS, 'shared_answers');
    expect([shared(), own()]).toEqual([[['s', 'new']], ['own']]);
    forgetOldKeys(database, DAY_MS);
    expect(own()).toEqual([]);
  });
});
