import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SIGNATURE_WINDOW_SECONDS } from '../../contract/network/reputation.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import { UsedNonces } from './used-nonces.js';

const T = 1_795_262_400;
const HOUR = 3600;

function nonces(folder = temporaryFolder({})) {
  const database = new Database(join(folder, 'mesh.db'));
  onTestFinished(() => database.close());
  const count = () => (database.sql('SELECT count(*) AS n FROM used_nonces').get() as { n: number }).n;
  return { used: new UsedNonces(database), count, database, folder };
}

describe('used nonces', () => {
  it('are accepted once for each key', async () => {
    const { used } = nonces();
    expect(await used.use('a', 'n', T, T * 1000)).toBe(true);
    expect(await used.use('a', 'n', T, T * 1000)).toBe(false);
    expect(await used.use('b', 'n', T, T * 1000)).toBe(true);
    expect(await used.use('a', 'm', T, T * 1000)).toBe(true);
  });

  it('are accepted for only one of many concurrent requests', async () => {
    const { used } = nonces();
    const all = await Promise.all(Array.from({ length: 50 }, () => used.use('a', 'n', T, T * 1000)));
    expect(all.filter(Boolean)).toHaveLength(1);
  });

  it('are kept for two days after no valid signature can contain them, then removed', async () => {
    const { used, count } = nonces();
    await used.use('a', 'n', T, T * 1000);
    await used.use('a', 'later', T + 47 * HOUR, (T + 47 * HOUR) * 1000);
    expect(await used.use('a', 'n', T, T * 1000)).toBe(false);
    await used.use('a', 'last', T + 49 * HOUR, (T + 49 * HOUR) * 1000);
    expect(count()).toBe(2);
  });

  it.each([
    ['a clock that is ahead', 60, 60],
    ['a clock that is behind', -60, 0],
  ])('are kept for two days more than a signature of %s is valid', async (_clock, ahead, keptLonger) => {
    const { used, count } = nonces();
    await used.use('a', 'n', T + ahead, T * 1000);
    const last = T + keptLonger + SIGNATURE_WINDOW_SECONDS + 48 * HOUR;
    await used.use('b', 'last', last, last * 1000);
    expect(count()).toBe(2);
    await used.use('b', 'after it', last + 1, (last + 1) * 1000);
    expect(count()).toBe(2);
  });

  it('are removed a few at a time, so that no request waits for all removals', async () => {
    const { used, count } = nonces();
    await Promise.all(Array.from({ length: 250 }, (_, i) => used.use('a', `n${i}`, T, T * 1000)));
    const later = T + 100 * HOUR;
    await used.use('b', 'x', later, later * 1000);
    expect(count()).toBe(151);
  });
});
