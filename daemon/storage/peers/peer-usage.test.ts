import { mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
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

describe('the users whose requests count', () => {
  const rowsOf = ({ database }: ReturnType<typeof open>) =>
    database.sql('SELECT uid, bytes, as_of_ms FROM peer_usage ORDER BY uid').all();

  it('are listed by what counts at present, most first, at most as many as wanted', async () => {
    const { database, usage, clock } = open();
    const day = PEER_STORE_BYTES / PEER_STORE_REFILL_DAYS;
    await database.write(() => {
      const put = database.sql('INSERT INTO peer_usage (uid, bytes, as_of_ms) VALUES (?, ?, ?)');
      put.run(1, Math.floor(3 * day), clock.now() - 2 * 86_400_000);
      put.run(2, Math.floor(2 * day), clock.now());
      put.run(3, Math.floor(day / 2), clock.now() - 86_400_000);
      put.run(ALL_PEERS, Math.floor(9 * day), clock.now());
    });
    expect(usage.list(9)).toEqual([
      { uid: 2, bytes: Math.floor(2 * day) },
      { uid: 1, bytes: Math.ceil(Math.floor(3 * day) - 2 * day) },
    ]);
    expect(usage.list(1).map(({ uid }) => uid)).toEqual([1]);
  });

  it('are recorded with their bytes and the time, with the sum of all', async () => {
    const opened = open();
    await opened.as(1000, () => opened.write('theirs', MIB));
    await opened.as(1001, () => opened.write('others', MIB));
    const before = [1000, 1001, ALL_PEERS].map((uid) => opened.usage.bytesOf(uid));
    opened.clock.advance(1_000);
    const asOf = opened.clock.now();
    const refilled = [1000, 1001, ALL_PEERS].map((uid) => Math.ceil(opened.usage.bytesOf(uid)));
    await opened.write('own', 10);
    expect(before.every((bytes) => bytes >= MIB)).toBe(true);
    expect(rowsOf(opened)).toContainEqual({ uid: 1001, bytes: refilled[1], as_of_ms: asOf });
    expect(rowsOf(opened)).toContainEqual({ uid: ALL_PEERS, bytes: refilled[2], as_of_ms: asOf });
  });

  it('are recorded no longer when nothing of them counts any more, and never count for less than nothing', async () => {
    const opened = open();
    await opened.as(1000, () => opened.write('theirs', MIB));
    await opened.write('own', 10);
    opened.clock.advance(PEER_STORE_REFILL_DAYS * 86_400_000);
    await opened.as(1000, () => opened.remove('theirs'));
    expect([opened.usage.bytesOf(1000), opened.usage.bytesOf(ALL_PEERS)]).toEqual([0, 0]);
    await opened.write('own too', 10);
    expect(rowsOf(opened)).toEqual([]);
  });
});

describe('the room that is left', () => {
  it('is that of the disk, which is looked at once a second', () => {
    const clock = new FakeClock();
    const { database, folder } = open();
    const place = join(folder, 'place');
    mkdirSync(place);
    const usage = new PeerUsage(database, place, clock);
    const { bsize, blocks } = statfsSync(place);
    const free = usage.diskFreeBytes;
    expect([free % bsize, free > bsize, free < bsize * blocks]).toEqual([0, true, true]);
    rmSync(place, { recursive: true });
    clock.advance(999);
    expect(usage.diskFreeBytes).toBe(free);
    clock.advance(1);
    expect(() => usage.diskFreeBytes).toThrow('ENOENT');
  });

  it('of the store is what its pages in use leave', async () => {
    const { usage, database, write } = open();
    const before = usage.storeBytes;
    expect(before).toBe(database.growth.usedBytes);
    await write('own', MIB);
    expect(usage.storeBytes - before).toBeGreaterThanOrEqual(MIB);
  });
});
