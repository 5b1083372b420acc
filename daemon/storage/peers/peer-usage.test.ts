import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PEER_STORE_BYTES, PEER_STORE_REFILL_DAYS } from '../../contract/limits.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from '../database/database.js';
import { openSqlite } from '../database/sqlite.js';
import { ALL_PEERS, PeerUsage } from './peer-usage.js';

const MIB = 1024 * 1024;

function open(folder = temporaryFolder(), clock = new FakeClock()) {
  const path = join(folder, 'mesh.db');
  const database = new Database(path);
  let isOpen = true;
  const close = () => {
    if (isOpen) database.close();
    isOpen = false;
  };
  onTestFinished(close);
  const usage = new PeerUsage(database, folder, clock);
  const insert = (key: string, bytes: number) =>
    void database
      .sql("INSERT INTO idempotency (scope, key, body_sha256, response, created_ms) VALUES ('s', ?, '', ?, 1)")
      .run(key, 'x'.repeat(bytes));
  const write = (key: string, bytes: number) => database.write(() => insert(key, bytes));
  const remove = (key: string) =>
    database.write(() => void database.sql('DELETE FROM idempotency WHERE key = ?').run(key));
  const as = <T>(uid: number, work: () => Promise<T>) => foreignCaller.run(uid, work);
  return { folder, path, clock, database, usage, insert, write, remove, as, close };
}

describe('what another user has stored', () => {
  it("counts only for that user, in whatever event loop tick it is written, and the operator's writes for nobody", async () => {
    const { usage, write, as } = open();
    await Promise.all([
      as(1000, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await write('theirs', MIB);
      }),
      as(1001, () => write('others', 2 * MIB)),
      write('own', 8 * MIB),
    ]);
    for (const [uid, mib] of [
      [1000, 1],
      [1001, 2],
      [ALL_PEERS, 3],
      [0, 0],
    ] as const) {
      expect(usage.bytesOf(uid)).toBeGreaterThanOrEqual(mib * MIB);
      expect(usage.bytesOf(uid)).toBeLessThan(mib * MIB + 32_768);
    }
  });

  it("is distinguished from the operator's writes in the same transaction", async () => {
    const { usage, write, as } = open();
    await Promise.all([write('a', MIB), as(1000, () => write('b', MIB)), write('c', MIB)]);
    expect(usage.bytesOf(1000)).toBeLessThan(1.1 * MIB);
  });

  it('includes the size of a full-text index, although only the commit writes it', async () => {
    const { database, usage, as } = open();
    const words = Array.from({ length: 20_000 }, (_, number) => `word${number * 7919}`).join(' ');
    await as(1000, () =>
      database.write(() => void database.sql('INSERT INTO registry_text (rowid, words) VALUES (1, ?)').run(words)),
    );
    expect(usage.bytesOf(1000)).toBeGreaterThan(100_000);
  });

  it('is subtracted when that user deletes it, and does not include a change that was rolled back', async () => {
    const { database, usage, insert, write, remove, as } = open();
    await as(1000, () => write('theirs', MIB));
    await expect(
      as(1000, () =>
        database.write(() => {
          insert('half', MIB);
          throw new RangeError('no');
        }),
      ),
    ).rejects.toThrow('no');
    expect(usage.bytesOf(1000)).toBeLessThan(1.1 * MIB);
    await as(1000, () => remove('theirs'));
    expect([usage.bytesOf(1000), usage.bytesOf(ALL_PEERS)].every((bytes) => bytes < 16_384)).toBe(true);
  });

  it('persists across a restart, and is refilled evenly over the days, even when the clock is set back', async () => {
    const first = open();
    await first.as(1000, () => first.write('theirs', 8 * MIB));
    first.close();
    const { usage, clock } = open(first.folder, first.clock);
    expect(usage.bytesOf(1000)).toBeGreaterThanOrEqual(8 * MIB);
    clock.step(-86_400_000);
    expect(usage.bytesOf(1000)).toBeGreaterThanOrEqual(8 * MIB);
    clock.step(86_400_000);
    const day = PEER_STORE_BYTES / PEER_STORE_REFILL_DAYS;
    clock.advance(86_400_000);
    expect(usage.bytesOf(1000) / MIB).toBeCloseTo((8 * MIB - day) / MIB, 0);
    clock.advance(PEER_STORE_REFILL_DAYS * 86_400_000);
    expect(usage.bytesOf(1000)).toBe(0);
  });
});

describe('the space of deleted rows', () => {
  it('is returned to the disk, a slice at a time, in a new store', async () => {
    const { path, write, remove } = open();
    await write('large', 16 * MIB);
    await remove('large');
    await expect.poll(() => statSync(path).size + statSync(`${path}-wal`).size).toBeLessThan(3 * MIB);
  });

  it('is also returned in a small store of an earlier version, which loses no rows', async () => {
    const before = open();
    await before.write('kept', 1000);
    await before.write('large', 16 * MIB);
    before.close();
    const older = openSqlite(before.path);
    older.pragma('auto_vacuum = NONE');
    older.exec('VACUUM');
    older.close();
    const { database, path, remove } = open(before.folder);
    await remove('large');
    await expect.poll(() => statSync(path).size + statSync(`${path}-wal`).size).toBeLessThan(3 * MIB);
    expect(database.sql('SELECT key FROM idempotency').all()).toEqual([{ key: 'kept' }]);
  });
});
