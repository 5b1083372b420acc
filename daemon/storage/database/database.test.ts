import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { waitForTick } from '../../lib/async/loop-ticks.js';
import { isMeshError } from '../../lib/errors.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import { listLockHolderPids } from '../../private/lock-holder.js';
import { findBytes } from '../../testing/find-bytes.js';
import { countRounds, keepBusy } from '../../testing/processes/event-loop.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { DatabaseBusyError } from '../files/open-exclusively.js';
import { Database } from './database.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqlite } from './sqlite.js';

function openDatabase(folder = temporaryFolder()) {
  const path = join(folder, 'mesh.db');
  const database = new Database(path);
  onTestFinished(() => database.close());
  return { database, path, folder };
}

const insert = (database: Database, key: string) =>
  database
    .sql("INSERT INTO idempotency (scope, key, body_sha256, response, created_ms) VALUES ('s', ?, '', '1', 1)")
    .run(key);
const keys = (database: Database) =>
  (database.sql('SELECT key FROM idempotency ORDER BY key').all() as { key: string }[]).map(({ key }) => key);
/** It is `memory` for a database that is in no file at all, which nothing else can be. */
const journalMode = (database: Database) => database.sql('PRAGMA journal_mode').pluck().get();

describe('group commit', () => {
  it('shares one transaction among the writes of one event loop tick and settles each of them after the commit', async () => {
    const { database } = openDatabase();
    // A machine that is busy must not end the transaction.
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => now.mockRestore());
    const seen: string[][] = [];
    const writes = ['a', 'b', 'c'].map((key) =>
      database.write(() => insert(database, key)).then(() => seen.push(keys(database))),
    );
    expect(keys(database)).toEqual([]);
    await Promise.all(writes);
    expect(seen).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });

  it('runs a few milliseconds of writes at a time, in order, and yields to the event loop in between', async () => {
    const { database } = openDatabase();
    const rounds: number[] = [];
    const loop = countRounds();
    const writes = Array.from({ length: 6 }, (_, number) =>
      database.write(() => {
        keepBusy(6);
        rounds.push(loop.rounds);
        insert(database, String(number));
      }),
    );
    await Promise.all(writes);
    loop.stop();
    expect(keys(database)).toEqual(['0', '1', '2', '3', '4', '5']);
    // Two writes exceed the time limit of one transaction.
    expect(new Set(rounds).size).toBeGreaterThanOrEqual(3);
  });

  it('runs a write that one of many asks for after all that were asked for before', async () => {
    const { database } = openDatabase();
    const order: string[] = [];
    let asked: Promise<unknown> = Promise.resolve();
    const writes = Array.from({ length: 4 }, (_, number) =>
      database.write(() => {
        keepBusy(6);
        order.push(String(number));
        if (number === 0) asked = database.write(() => order.push('asked'));
      }),
    );
    await Promise.all(writes);
    await asked;
    expect(order).toEqual(['0', '1', '2', '3', 'asked']);
  });

  it('commits all queued writes when it closes, however long that takes', async () => {
    const folder = temporaryFolder();
    const first = new Database(join(folder, 'mesh.db'));
    const writes = Array.from({ length: 6 }, (_, number) =>
      first.write(() => {
        keepBusy(6);
        insert(first, String(number));
      }),
    );
    first.close();
    await Promise.all(writes);
    expect(keys(openDatabase(folder).database)).toHaveLength(6);
  });

  it('takes one tick of the event loop however many writes there are, and none afterwards', async () => {
    const { database } = openDatabase();
    // Stores that were closed before may have ticks left.
    await waitForTick('commit');
    const loop = countRounds();
    onTestFinished(() => loop.stop());
    const countTicks = async () => {
      const before = loop.rounds;
      await waitForTick('commit');
      return loop.rounds - before;
    };
    const writes = Promise.all(
      Array.from({ length: 50 }, (_, number) => database.write(() => insert(database, `${number}`))),
    );
    expect(await countTicks()).toBeLessThan(5);
    await writes;
    await database.write(() => insert(database, 'last'));
    expect(await countTicks()).toBe(1);
  });

  it('rolls back only the write that throws, and rejects only its promise', async () => {
    const { database } = openDatabase();
    const results = await Promise.allSettled([
      database.write(() => insert(database, 'a')),
      database.write(() => {
        insert(database, 'half');
        throw new RangeError('no');
      }),
      database.write(() => insert(database, 'a')),
      database.write(() => insert(database, 'b')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect((results[1] as PromiseRejectedResult).reason).toBeInstanceOf(RangeError);
    expect(keys(database)).toEqual(['a', 'b']);
  });

  it('keeps the written rows when the file is opened again', async () => {
    const folder = temporaryFolder();
    const first = new Database(join(folder, 'mesh.db'));
    await first.write(() => insert(first, 'kept'));
    first.close();
    expect(keys(openDatabase(folder).database)).toEqual(['kept']);
  });

  it('commits the queued writes when it closes', async () => {
    const folder = temporaryFolder();
    const first = new Database(join(folder, 'mesh.db'));
    const write = first.write(() => insert(first, 'late'));
    first.close();
    await write;
    expect(keys(openDatabase(folder).database)).toEqual(['late']);
  });
});

describe('the store', () => {
  it('belongs to one daemon at a time', () => {
    const { path } = openDatabase();
    expect(() => new Database(path)).toThrow(DatabaseBusyError);
  });

  it('keeps no byte of what was deleted: not in the file, and an hour later not in the log', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, folder } = openDatabase();
    // Longer than a page: deleting it frees pages as a whole.
    const texts = ['short-', 'long-'.repeat(4_000)];
    for (const text of texts) await database.write(() => insert(database, text));
    await database.write(() => database.sql('DELETE FROM idempotency').run());
    const left = () => texts.flatMap((text) => findBytes(folder, text.slice(0, 200)));
    expect(left()).toContain('mesh.db-wal');
    vi.advanceTimersByTime(3_600_000);
    expect(left()).toEqual([]);
  });

  it.each(['messages_text', 'asks_text'])('keeps no word of what was deleted from %s, after an hour', async (index) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, folder } = openDatabase();
    const put = (rowid: number, text: string) =>
      database.sql(`INSERT INTO ${index} (rowid, text) VALUES (?, ?)`).run(rowid, text);
    // Hundreds of pages, which are more than one slice.
    for (let first = 1; first <= 1_000; first += 100)
      await database.write(() => {
        for (let rowid = first; rowid < first + 100; rowid += 1)
          put(rowid, Array.from({ length: 100 }, (_, at) => ((rowid * 100 + at) * 7_919).toString(36)).join(' '));
      });
    await database.write(() => put(5_000, 'zqvorpal'));
    await database.write(() => database.sql(`DELETE FROM ${index} WHERE rowid = 5000`).run());
    vi.advanceTimersByTime(3_600_000 - 1);
    expect(findBytes(folder, 'zqvorpal')).not.toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(findBytes(folder, 'zqvorpal')).toEqual([]);
    const found = database.sql(`SELECT count(*) FROM ${index} WHERE ${index} MATCH ?`).pluck();
    expect([found.get('zqvorpal'), found.get((100_000 * 7_919).toString(36))]).toEqual([0, 1]);
  });

  it('keeps no word of what was deleted, once it is closed', async () => {
    const folder = temporaryFolder();
    const database = new Database(join(folder, 'mesh.db'));
    await database.write(() => database.sql("INSERT INTO asks_text (rowid, text) VALUES (1, 'zqvorpal')").run());
    await database.write(() => database.sql('DELETE FROM asks_text').run());
    database.close();
    expect(findBytes(folder, 'zqvorpal')).toEqual([]);
  });

  it('that is damaged is copied once, with its log, however often it is opened', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'mesh.db');
    const first = new Database(path);
    await Promise.all(Array.from({ length: 500 }, (_, i) => first.write(() => insert(first, `key-${i}`))));
    first.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, bytes.length - 20_000, bytes.length - 4_096);
    writeFileSync(path, bytes);
    for (const second of [1_700_000_000, 1_700_000_001, 1_700_000_002])
      new Database(path, () => second * 1_000).close();
    const copies = readdirSync(folder).filter((name) => name.includes('corrupt'));
    expect(copies).toEqual(['mesh.db.corrupt-1700000000', 'mesh.db.corrupt-1700000000-wal']);
  });

  it('rejects with no_space when the disk is full, rolls back the whole batch, and recovers by itself', async () => {
    const { database } = openDatabase();
    await database.write(() => insert(database, 'before'));
    const pages = database.sql('PRAGMA page_count').get() as { page_count: number };
    database.sql(`PRAGMA max_page_count = ${pages.page_count}`).get();
    const big = (key: string) =>
      database.write(() =>
        database
          .sql("INSERT INTO idempotency (scope, key, body_sha256, response, created_ms) VALUES ('s', ?, '', ?, 1)")
          .run(key, 'x'.repeat(100_000)),
      );
    const results = await Promise.allSettled([big('one'), big('two')]);
    for (const result of results) expect(isMeshError((result as PromiseRejectedResult).reason, 'no_space')).toBe(true);
    expect(database.state).toBe('ok');
    database.sql('PRAGMA max_page_count = 1000000').get();
    await big('three');
    expect(keys(database)).toEqual(['before', 'three']);
  });

  it('copies a damaged file aside and is read-only instead of starting over', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'mesh.db');
    const first = new Database(path);
    await Promise.all(Array.from({ length: 500 }, (_, i) => first.write(() => insert(first, `key-${i}`))));
    first.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, bytes.length - 20_000, bytes.length - 4_096);
    writeFileSync(path, bytes);
    const damaged = new Database(path, () => 1_700_000_000_000);
    onTestFinished(() => damaged.close());
    expect(damaged.state).toBe('readonly');
    expect(damaged.problem).toContain('damaged');
    expect(damaged.problem).toContain(damaged.quickCheck()?.split('\n')[0] as string);
    expect(readdirSync(folder)).toContain('mesh.db.corrupt-1700000000');
    if (process.platform === 'linux') expect(listLockHolderPids(path)).toContain(process.pid);
    await expect(damaged.write(() => insert(damaged, 'x'))).rejects.toMatchObject({ code: 'store_readonly' });
    expect(readFileSync(path).subarray(0, 4096).equals(bytes.subarray(0, 4096))).toBe(true);
  });

  it.each<[string, string, (bytes: Buffer) => Buffer]>([
    ['ends in the midst of its last page', 'midst of a page', (bytes) => bytes.subarray(0, bytes.length - 100)],
    [
      'says that its schema is an older one',
      'its schema is not number 3',
      (bytes) => {
        bytes.writeUInt32BE(3, 60);
        return bytes;
      },
    ],
  ])('a file that %s is read and never written', async (_how, said, damage) => {
    const folder = temporaryFolder();
    const path = join(folder, 'mesh.db');
    const first = new Database(path);
    await Promise.all(Array.from({ length: 50 }, (_, number) => first.write(() => insert(first, `key-${number}`))));
    // The last page holds rows of another table, so that the keys can be read without it.
    await first.write(() => first.sql("INSERT INTO used_nonces VALUES ('k', ?, 1)").run('n'.repeat(9_000)));
    first.close();
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);
    const database = new Database(path, () => 1_700_000_000_000);
    expect([database.state, keys(database).length]).toEqual(['readonly', 50]);
    expect(database.problem).toContain(said);
    await expect(database.write(() => insert(database, 'x'))).rejects.toMatchObject({ code: 'store_readonly' });
    database.close();
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it('of an older version that ends in the midst of a page is not rewritten to be able to shrink', () => {
    const path = join(temporaryFolder(), 'mesh.db');
    const older = openSqlite(path);
    older.pragma('journal_mode = WAL');
    for (const migration of MIGRATIONS) older.exec(migration);
    older.pragma(`user_version = ${MIGRATIONS.length}`);
    older.close();
    const damaged = readFileSync(path).subarray(0, -100);
    writeFileSync(path, damaged);
    const database = new Database(path);
    expect(database.problem).toContain('midst of a page');
    database.close();
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => bytes.subarray(0, 150_000)],
    ['cut off in its head', (bytes) => bytes.subarray(0, 50)],
    ['no database', (bytes) => Buffer.concat([Buffer.from('nonsense'), bytes.subarray(8)])],
  ])('opens read-only for a file that is %s, and leaves the file unchanged', async (_how, damage) => {
    const folder = temporaryFolder();
    const path = join(folder, 'mesh.db');
    new Database(path).close();
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);
    const database = new Database(path, () => 1_700_000_000_000);
    onTestFinished(() => database.close());
    expect(database.state).toBe('readonly');
    expect(database.problem).toContain('mesh.db.corrupt-1700000000');
    expect([keys(database), journalMode(database)]).toEqual([[], 'memory']);
    await expect(database.write(() => insert(database, 'x'))).rejects.toMatchObject({ code: 'store_readonly' });
    expect(readFileSync(path).equals(damaged)).toBe(true);
    expect(readFileSync(join(folder, 'mesh.db.corrupt-1700000000')).equals(damaged)).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['beside what a daemon wrote', { port: '4747\n' }],
    ['beside a log of what it held', { 'mesh.db-wal': 'x' }],
  ])('opens read-only for a file that is empty %s', (_where, files) => {
    const folder = temporaryFolder({ 'mesh.db': '', ...files });
    const path = join(folder, 'mesh.db');
    for (const second of [1_700_000_000, 1_700_000_001]) {
      const database = new Database(path, () => second * 1000);
      expect([database.state, database.problem]).toEqual(['readonly', expect.stringContaining('the file is empty')]);
      expect(journalMode(database)).toBe('memory');
      database.close();
    }
    expect([
      readFileSync(path, 'utf8'),
      ...Object.keys(files).map((name) => readFileSync(join(folder, name), 'utf8')),
    ]).toEqual(['', ...Object.values(files)]);
  });

  it('starts over with an empty file that a killed first start left', () => {
    expect(openDatabase(temporaryFolder({ 'mesh.db': '', 'mesh.db-journal': '' })).database.state).toBe('ok');
  });
});

describe('a store whose file is moved away', () => {
  it.each(['mesh.db', 'mesh.db-wal'])(
    'rejects writes while %s is not at its path, still reads, and writes again once it is back',
    async (name) => {
      const { database, folder } = openDatabase();
      await database.write(() => insert(database, 'before'));
      renameSync(join(folder, name), join(folder, 'away'));
      writeFileSync(join(folder, name), '');
      expect(database.state).toBe('readonly');
      await expect(database.write(() => insert(database, 'lost'))).rejects.toSatisfy((error) =>
        isMeshError(error, 'store_readonly'),
      );
      expect(keys(database)).toEqual(['before']);
      renameSync(join(folder, 'away'), join(folder, name));
      await database.write(() => insert(database, 'after'));
      expect([database.state, keys(database)]).toEqual(['ok', ['after', 'before']]);
    },
  );
});

it('writes what its log holds into its file when it closes, wherever the file was moved to', async () => {
  const folder = temporaryFolder();
  const database = new Database(join(folder, 'mesh.db'));
  await database.write(() => insert(database, 'before'));
  renameSync(join(folder, 'mesh.db'), join(folder, 'away.db'));
  database.close();
  expect(readFileSync(join(folder, 'mesh.db-wal'), 'utf8')).toBe('');
  const moved = new Database(join(folder, 'away.db'));
  onTestFinished(() => moved.close());
  expect(keys(moved)).toEqual(['before']);
});

describe('an open store', () => {
  it.each([
    ['journal_mode', 'wal'],
    ['locking_mode', 'exclusive'],
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['secure_delete', 1],
    ['trusted_schema', 0],
    ['temp_store', 2],
    ['cell_size_check', 1],
    ['wal_autocheckpoint', 250],
  ])('has the setting %s on which its safety depends', (name, value) => {
    expect(openDatabase().database.sql(`PRAGMA ${name}`).pluck().get()).toBe(value);
  });

  it('prepares a statement once', () => {
    const { database } = openDatabase();
    const statement = database.sql('SELECT 1');
    expect([database.sql('SELECT 1') === statement, database.sql('SELECT 2') === statement]).toEqual([true, false]);
  });

  it('is whole, and is copied whole while writes go on', async () => {
    const { database, folder } = openDatabase();
    await Promise.all(Array.from({ length: 50 }, (_, number) => database.write(() => insert(database, `${number}`))));
    expect([database.quickCheck(), database.problem, database.state]).toEqual([undefined, undefined, 'ok']);
    await database.copyTo(join(folder, 'copy.db'));
    await database.write(() => insert(database, 'later'));
    const copy = new Database(join(folder, 'copy.db'));
    onTestFinished(() => copy.close());
    expect([keys(copy).length, keys(database).length]).toEqual([50, 51]);
  });

  it('has the disk itself write what is synced, also where the system alone would not', () => {
    const { database } = openDatabase();
    const read = (name: string) => database.sql(`PRAGMA ${name}`).pluck().get();
    expect(['synchronous', 'fullfsync', 'checkpoint_fullfsync'].map(read)).toEqual([2, 1, 1]);
  });

  it('is not written when it is opened and closed with nothing to change', () => {
    const path = join(temporaryFolder(), 'mesh.db');
    new Database(path).close();
    const bytes = readFileSync(path);
    new Database(path).close();
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('leaves one file when it closes, with everything in it', async () => {
    const folder = temporaryFolder();
    const database = new Database(join(folder, 'mesh.db'));
    await database.write(() => insert(database, 'a'));
    database.close();
    expect(readdirSync(folder)).toEqual(['mesh.db']);
  });

  it('closes although its log cannot be emptied, and has everything in it when it is opened again', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'mesh.db');
    const database = new Database(path);
    await database.write(() => insert(database, 'a'));
    // Like a full disk, an open transaction makes the checkpoint fail.
    database.sql('BEGIN IMMEDIATE').run();
    database.close();
    expect(keys(openDatabase(folder).database)).toEqual(['a']);
  });

  it('is given back by one that cannot be migrated, so that it can be opened again', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'mesh.db');
    const older = openSqlite(path);
    older.exec('CREATE TABLE asks (mine)');
    older.close();
    for (const _ of [1, 2]) expect(() => new Database(path)).toThrow('already exists');
  });
});

describe('a store that cannot be written', () => {
  const WHY = 'put it back, or restart the daemon to start over.';

  it('says which file is missing, in its problem and to each write', async () => {
    const { database, folder, path } = openDatabase();
    renameSync(path, join(folder, 'away'));
    const problem = `${path} was moved or removed while the daemon runs; ${WHY}`;
    expect(database.problem).toBe(problem);
    await expect(database.write(() => insert(database, 'a'))).rejects.toMatchObject({
      code: 'store_readonly',
      message: `The store is read-only: ${problem}`,
    });
    renameSync(join(folder, 'away'), path);
    expect(database.problem).toBeUndefined();
  });

  it('is one whose commit failed, from then on, and says why', async () => {
    const { database, folder } = openDatabase();
    await database.write(() => insert(database, 'before'));
    const failing = database.write(() => {
      database.sql('PRAGMA defer_foreign_keys = ON').run();
      database
        .sql("INSERT INTO turns (turn, conv, state, profile, text, created_ms) VALUES ('t', 'x', 'queued', 'p', '', 0)")
        .run();
    });
    const beside = database.write(() => insert(database, 'beside'));
    const problem = 'a commit failed (FOREIGN KEY constraint failed); mend the disk and restart the daemon.';
    const refused = { code: 'store_readonly', message: `The store is read-only: ${problem}` };
    await expect(failing).rejects.toMatchObject({
      ...refused,
      cause: expect.objectContaining({ name: 'SqliteError' }),
    });
    await expect(beside).rejects.toMatchObject(refused);
    await expect(database.write(() => insert(database, 'later'))).rejects.toMatchObject(refused);
    expect([database.state, database.problem, keys(database)]).toEqual(['readonly', problem, ['before']]);
    await expect(database.copyTo(join(folder, 'copy.db'))).rejects.toMatchObject({
      code: 'store_readonly',
      message: `The store cannot be copied: ${problem}`,
    });
  });

  it('refuses a write at once, before the next tick of the event loop', async () => {
    const { database } = openDatabase(temporaryFolder({ 'mesh.db': '', port: '4747\n' }));
    const order: string[] = [];
    const tick = new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push('tick'));
    await database.write(() => insert(database, 'x')).catch(() => order.push('refused'));
    await tick;
    expect(order).toEqual(['refused', 'tick']);
  });

  it('is one whose free pages cannot be returned, and says why', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { database } = openDatabase();
    await database.write(() => insert(database, 'x'.repeat(2_000_000)));
    await database.write(() => database.sql('DELETE FROM idempotency').run());
    database.sql('PRAGMA query_only = ON').run();
    vi.advanceTimersByTime(20);
    expect(database.problem).toBe(
      'a commit failed (attempt to write a readonly database); mend the disk and restart the daemon.',
    );
  });

  it('is one that is damaged, of which one copy a second is kept', () => {
    const folder = temporaryFolder({ 'mesh.db': 'no database, and longer than the head of one. '.repeat(9) });
    const path = join(folder, 'mesh.db');
    const open = (ms: number) => {
      const database = new Database(path, () => ms);
      const { problem } = database;
      database.close();
      return problem;
    };
    expect(open(1_700_000_000_999)).toBe(
      `the database is damaged (file is not a database); a copy is at ${path}.corrupt-1700000000. Restore a backup ` +
        'with `meshd restore`, or move the file away to start over.',
    );
    writeFileSync(`${path}.corrupt-1700000000`, 'the first copy');
    open(1_700_000_000_000);
    open(1_700_000_001_000);
    expect(readdirSync(folder).sort()).toEqual(['mesh.db', 'mesh.db.corrupt-1700000000', 'mesh.db.corrupt-1700000001']);
    expect(readFileSync(`${path}.corrupt-1700000000`, 'utf8')).toBe('the first copy');
  });

  it('may be one of another user, which is not opened', () => {
    const folder = temporaryFolder({ elsewhere: '' });
    symlinkSync('elsewhere', join(folder, 'mesh.db'));
    expect(() => new Database(join(folder, 'mesh.db'))).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

it('measures only the transactions in which another user takes part', async () => {
  const { database } = openDatabase();
  let starts = 0;
  const { growth } = database;
  const start = growth.start.bind(growth);
  growth.start = () => {
    starts += 1;
    return start();
  };
  await database.write(() => insert(database, 'own'));
  expect([starts, growth.unrecorded.size]).toEqual([0, 0]);
  const text = 'x'.repeat(100_000);
  await Promise.all([
    database.write(() => insert(database, 'own too')),
    foreignCaller.run(1000, () => database.write(() => insert(database, text))),
  ]);
  expect([starts, [...growth.unrecorded.keys()]]).toEqual([1, [1000]]);
  let recorded = 0;
  growth.record = () => {
    recorded += 1;
  };
  await database.write(() => insert(database, 'last'));
  expect([recorded, growth.unrecorded.size]).toEqual([1, 0]);
  await database.write(() => insert(database, 'after it'));
  expect(recorded).toBe(1);
});

it('records the growth of the last transaction when it closes', async () => {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  const recorded: [number, number][][] = [];
  database.growth.record = () => void recorded.push([...database.growth.unrecorded]);
  await foreignCaller.run(1000, () => database.write(() => insert(database, 'x'.repeat(100_000))));
  expect(recorded).toEqual([]);
  database.close();
  expect(recorded).toEqual([[[1000, expect.any(Number)]]]);
});
