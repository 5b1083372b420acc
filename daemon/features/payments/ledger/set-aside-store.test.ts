import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../storage/database/database.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { SetAsideStore } from './set-aside-store.js';

const NETWORK = 'solana:local';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Runs `check` in a write transaction of an empty store. */
const inStore = (check: (store: SetAsideStore) => void) => async () => {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  await database.write(() => check(new SetAsideStore(database)));
};

it(
  'what was set aside is due each minute in its first hour, and then each hour',
  inStore((store) => {
    store.add(NETWORK, 'ours', 'a', 1000);
    const due = (nowMs: number) => store.listDue(NETWORK, 'ours', 1000 + nowMs);
    expect([due(MINUTE_MS - 1), due(MINUTE_MS)]).toEqual([[], ['a']]);
    store.noteTried(NETWORK, 'ours', 'a', 1000 + HOUR_MS - MINUTE_MS - 1);
    expect([due(HOUR_MS - 2), due(HOUR_MS - 1)]).toEqual([[], ['a']]);
    expect([due(HOUR_MS), due(2 * HOUR_MS - MINUTE_MS - 2), due(2 * HOUR_MS - MINUTE_MS - 1)]).toEqual([[], [], ['a']]);
  }),
);

it(
  'ten are due at once, those first that were tried longest ago',
  inStore((store) => {
    for (let at = 0; at < 12; at += 1) store.add(NETWORK, 'ours', `s${String(at).padStart(2, '0')}`, at === 3 ? 0 : 1);
    const due = store.listDue(NETWORK, 'ours', HOUR_MS);
    expect([due.length, due[0], due[1], due[9]]).toEqual([10, 's03', 's00', 's09']);
    store.noteTried(NETWORK, 'ours', 's03', 2);
    expect(store.listDue(NETWORK, 'ours', HOUR_MS)).not.toContain('s03');
  }),
);

it(
  'each belongs to its network and address',
  inStore((store) => {
    store.add(NETWORK, 'ours', 'a', 0);
    for (const [network, address, signature] of [
      ['solana:devnet', 'ours', 'a'],
      [NETWORK, 'theirs', 'a'],
      [NETWORK, 'ours', 'b'],
    ] as const) {
      expect(store.has(network, address, signature)).toBe(false);
      store.noteTried(network, address, signature, HOUR_MS);
      store.remove(network, address, signature);
      if (signature === 'a') {
        expect(store.listDue(network, address, HOUR_MS)).toEqual([]);
        expect(store.countFree(network, address)).toBe(50);
      }
    }
    expect([store.has(NETWORK, 'ours', 'a'), store.listDue(NETWORK, 'ours', HOUR_MS)]).toEqual([true, ['a']]);
    expect(store.countFree(NETWORK, 'ours')).toBe(49);
    store.remove(NETWORK, 'ours', 'a');
    expect([store.has(NETWORK, 'ours', 'a'), store.countFree(NETWORK, 'ours')]).toEqual([false, 50]);
  }),
);
