import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../storage/database/database.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { SeenStore } from './seen-store.js';

const NETWORK = 'solana:local';

/** Runs `check` in a write transaction of an empty store. */
const inStore = (check: (seen: SeenStore) => void) => async () => {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  await database.write(() => check(new SeenStore(database)));
};

it(
  'a transaction that paid for nothing is spent once, and then never again',
  inStore((seen) => {
    expect([seen.find(NETWORK, 'sig', 'ours'), seen.findSpent(NETWORK, 'sig')]).toEqual([undefined, undefined]);
    seen.spend(NETWORK, 'sig', 'ours', 'unmatched', 'pay-1');
    expect(seen.find(NETWORK, 'sig', 'ours')).toEqual({ spent_on: 'unmatched', payment: 'pay-1' });
    seen.spend(NETWORK, 'sig', 'ours', 'proof', 'pay-2');
    for (const on of ['proof', 'unmatched', 'deposit'] as const)
      expect(() => seen.spend(NETWORK, 'sig', 'ours', on, 'pay-3')).toThrow(
        'A transaction was about to be spent twice.',
      );
    expect(seen.find(NETWORK, 'sig', 'ours')).toEqual({ spent_on: 'proof', payment: 'pay-2' });
  }),
);

it(
  'a transaction to two addresses pays for one thing in all, and is a different one on another network',
  inStore((seen) => {
    seen.spend(NETWORK, 'sig', 'ours', 'unmatched', 'pay-1');
    seen.spend(NETWORK, 'sig', 'theirs', 'deposit', 'pay-2');
    expect(() => seen.spend(NETWORK, 'sig', 'ours', 'proof', 'pay-3')).toThrow('UNIQUE constraint failed');
    expect(seen.findSpent(NETWORK, 'sig')).toEqual({ address: 'theirs', spent_on: 'deposit', payment: 'pay-2' });
    seen.spend('solana:devnet', 'sig', 'ours', 'proof', 'pay-4');
    expect(seen.findSpent('solana:devnet', 'sig')?.payment).toBe('pay-4');
  }),
);

it(
  'the scan position of an address moves without a change of when the address was needed, and the reverse',
  inStore((seen) => {
    expect(seen.findAddress(NETWORK, 'ours')).toBeUndefined();
    seen.putAddress(NETWORK, 'ours', undefined, 100);
    expect(seen.findAddress(NETWORK, 'ours')).toEqual({ seen: null, seen_slot: null, wanted_ms: 100 });
    seen.putAddress('solana:devnet', 'ours', { signature: 'other', slot: 9 }, 50);
    seen.putAddress(NETWORK, 'ours', { signature: 'sig-1', slot: 7 }, 200);
    expect(seen.findAddress(NETWORK, 'ours')).toEqual({ seen: 'sig-1', seen_slot: 7, wanted_ms: 100 });
    seen.wantAddress(NETWORK, 'ours', 300);
    expect(seen.findAddress(NETWORK, 'ours')).toEqual({ seen: 'sig-1', seen_slot: 7, wanted_ms: 300 });
    expect(seen.findAddress('solana:devnet', 'ours')).toEqual({ seen: 'other', seen_slot: 9, wanted_ms: 50 });
  }),
);

it(
  'the scan position of an address moves within its slot and to a higher one, and never to a lower one',
  inStore((seen) => {
    for (const [signature, slot, stays] of [
      ['first', 7, 'first'],
      ['lower', 6, 'first'],
      ['same', 7, 'same'],
      ['higher', 8, 'higher'],
    ] as const) {
      seen.putAddress(NETWORK, 'ours', { signature, slot }, 100);
      expect(seen.findAddress(NETWORK, 'ours')?.seen).toBe(stays);
    }
  }),
);

it(
  'addresses are listed by when they were last needed, latest first, since a time and up to a limit',
  inStore((seen) => {
    for (const [address, wantedMs] of [
      ['a', 100],
      ['c', 300],
      ['b', 200],
    ] as const)
      seen.putAddress(NETWORK, address, undefined, wantedMs);
    const list = (sinceMs: number, limit: number) => seen.listAddresses(sinceMs, limit);
    expect(list(200, 9)).toEqual([
      { network: NETWORK, address: 'c' },
      { network: NETWORK, address: 'b' },
    ]);
    expect(list(0, 1)).toEqual([{ network: NETWORK, address: 'c' }]);
    expect(list(301, 9)).toEqual([]);
  }),
);
