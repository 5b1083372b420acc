import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../storage/database/database.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { FreeTier } from './free-tier.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;
const HERE = { address: '10.0.0.9' };

interface InTier {
  tier: FreeTier;
  /** Takes a call of one caller's allowance of `calls` and returns its counters. */
  take: (calls: number, payer?: { address: string; pubkey?: string }, nowMs?: number) => ReturnType<FreeTier['take']>;
  rows: () => unknown[];
}

/** Runs `check` in a write transaction of an empty store. */
const inTier = (by: 'ip' | 'pubkey' | 'pubkey+ip', check: (parts: InTier) => void) => async () => {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const tier = new FreeTier(database);
  const take: InTier['take'] = (calls_per_day, payer = HERE, nowMs = NOON) =>
    tier.take('painter', { calls_per_day, by }, payer, nowMs);
  const rows = () => database.sql('SELECT day, caller, calls FROM till_free_calls ORDER BY day, caller').all();
  await database.write(() => check({ tier, take, rows }));
};

it.each([
  ['127.0.0.1', 'ip loopback'],
  ['127.255.3.4', 'ip loopback'],
  ['::1', 'ip loopback'],
  ['::ffff:127.0.0.9', 'ip loopback'],
  ['::FFFF:127.0.0.9', 'ip loopback'],
  ['10.127.0.1', 'ip 10.127.0.1'],
  ['12.0.0.1', 'ip 12.0.0.1'],
  ['::ffff:10.0.0.9', 'ip ::ffff:10.0.0.9'],
  ['127.evil', 'ip 127.evil'],
  ['127.::ffff:0.0.1', 'ip 127.::ffff:0.0.1'],
  ['fe80::ffff:127.0.0.1', 'ip fe80::ffff:127.0.0.1'],
])('the host %s is counted as %s', (address, caller) =>
  inTier('ip', ({ take }) => expect(take(1, { address })).toEqual({ day: '2026-11-21', callers: [caller, 'all'] }))(),
);

it(
  'a caller takes its allowance of a UTC day and no more, and all callers ten times it',
  inTier('ip', ({ tier, take, rows }) => {
    expect([take(0), tier.take('painter', undefined, HERE, NOON)]).toEqual([undefined, undefined]);
    const days = (number: number, address: string) => Array.from({ length: number }, () => take(2, { address })?.day);
    const DAY = '2026-11-21';
    expect(days(3, HERE.address)).toEqual([DAY, DAY, undefined]);
    for (let host = 0; host < 9; host += 1) expect(days(2, `10.1.0.${host}`)).toEqual([DAY, DAY]);
    expect(take(2, { address: '10.2.0.1' })).toBeUndefined();
    expect(rows()).toContainEqual({ day: '2026-11-21', caller: 'all', calls: 20 });
    expect(take(2, HERE, NOON + DAY_MS / 2)?.day).toBe('2026-11-22');
    const signed = take(2, { address: '10.3.0.1', pubkey: 'ann' }, NOON + DAY_MS / 2);
    expect(signed?.callers).toEqual(['ip 10.3.0.1', 'all']);
  }),
);

it(
  'by pubkey and address a call is counted on both, and on neither when one has no call left',
  inTier('pubkey+ip', ({ take, rows }) => {
    expect(take(1, { ...HERE, pubkey: 'ann' })?.callers).toEqual(['pubkey ann', 'ip 10.0.0.9', 'all']);
    expect(take(1, { address: '10.0.0.8', pubkey: 'ann' })).toBeUndefined();
    expect(rows()).toHaveLength(3);
    expect(take(1, { address: '10.0.0.8' })?.callers).toEqual(['ip 10.0.0.8', 'all']);
  }),
);

it(
  'by pubkey an unsigned call is not free, and the address counts nothing',
  inTier('pubkey', ({ take, rows }) => {
    expect(take(5)).toBeUndefined();
    expect(take(5, { ...HERE, pubkey: 'ann' })?.callers).toEqual(['pubkey ann', 'all']);
    expect(rows()).toHaveLength(2);
  }),
);

it(
  'a call is given back to its day and agent, never below none',
  inTier('ip', ({ tier, take, rows }) => {
    const taken = take(1);
    tier.restoreCall('sculptor', taken ?? { day: '', callers: [] });
    expect(take(1)).toBeUndefined();
    for (const _ of [1, 2]) tier.restoreCall('painter', taken ?? { day: '', callers: [] });
    expect(rows()).toEqual([
      { day: '2026-11-21', caller: 'all', calls: 0 },
      { day: '2026-11-21', caller: 'ip 10.0.0.9', calls: 0 },
    ]);
    expect(take(1)).toEqual(taken);
  }),
);

it(
  'counters of earlier days are removed, those of the day itself stay',
  inTier('ip', ({ tier, take, rows }) => {
    take(1, HERE, NOON - DAY_MS);
    take(1);
    tier.forget(NOON);
    expect(rows()).toEqual([
      { day: '2026-11-21', caller: 'all', calls: 1 },
      { day: '2026-11-21', caller: 'ip 10.0.0.9', calls: 1 },
    ]);
  }),
);
