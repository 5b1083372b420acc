import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { PassageDatabase } from './passage-database.js';
import { openSqlite } from './sqlite.js';

const file = (path: string, isText = true) => ({
  ...{ path, size: 3, mtimeMs: 1, sha256: 'x', settled: true, tracked: true, worth: 1 },
  isText,
});
const passage = (text: string) => ({
  startLine: 1,
  endLine: 1,
  kind: 'text',
  title: 'a title',
  pathWords: 'a txt',
  names: '',
  text,
});

function open(path: string): PassageDatabase {
  const database = PassageDatabase.open(path);
  onTestFinished(() => database.close());
  return database;
}

it('finds a passage by any form of a word, and removes it with its file', () => {
  const database = open(join(temporaryFolder(), 'k.db'));
  database.put(file('a.txt'), [passage('configured handlers')]);
  database.put(file('b.txt'), [passage('nothing of it')]);
  expect(database.search('"configuration" OR "handler"', 5).map((one) => one.path)).toEqual(['a.txt']);
  expect(database.frequency('"handler"')).toBe(1);
  database.put(file('a.txt'), [passage('other words')]);
  expect(database.search('"handler"', 5)).toEqual([]);
  database.remove('a.txt');
  expect(database.totals()).toEqual({ files: 1, notText: 0, passages: 1, bytes: 3 });
  database.put(file('c.unknown', false), []);
  expect(database.totals()).toMatchObject({ files: 1, notText: 1 });
});

it('tells words apart by their vowels where these are marks', () => {
  const database = open(join(temporaryFolder(), 'k.db'));
  ['मेल', 'माल', 'म ल', 'ＰＤＦ'].forEach((text, at) => void database.put(file(`${at}`), [passage(text)]));
  const find = (word: string) => database.search(`"${word}"`, 5).map((one) => one.path);
  expect([find('मेल'), find('माल'), find('pdf')]).toEqual([['0'], ['1'], ['3']]);
});

it.each([
  [
    'no database',
    (path: string) => writeFileSync(path, 'not a database at all, but long enough to be looked at as one'),
  ],
  [
    'of another version',
    (path: string) => void openSqlite(path).exec('CREATE TABLE t (a); PRAGMA user_version = 999').close(),
  ],
  [
    'of another version, with the same tables',
    (path: string) => {
      PassageDatabase.open(path).close();
      void openSqlite(path).exec("INSERT INTO meta VALUES ('a', 'b'); PRAGMA user_version = 6").close();
    },
  ],
])('rebuilds a file that is %s', (_, prepare) => {
  const path = join(temporaryFolder(), 'k.db');
  prepare(path);
  const database = open(path);
  expect(database.totals()).toEqual({ files: 0, notText: 0, passages: 0, bytes: 0 });
  expect(database.meta('a')).toBeUndefined();
});

it('keeps what it holds for the next process', () => {
  const path = join(temporaryFolder(), 'k.db');
  const first = PassageDatabase.open(path);
  first.put(file('a.txt'), [passage('kept')]);
  // Another process never reads it, so nothing is shared with one: there is a log, and no index of it.
  expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([true, false]);
  first.close();
  expect(() => first.totals()).toThrow('not open');
  expect(
    open(path)
      .search('kept', 5)
      .map((one) => one.path),
  ).toEqual(['a.txt']);
});

it('is removed with every file beside it when it is discarded', () => {
  const folder = temporaryFolder({ 'other.db': 'mine' });
  const database = PassageDatabase.open(join(folder, 'k.db'));
  database.put(file('a.txt'), [passage('kept')]);
  database.discard();
  expect(readdirSync(folder)).toEqual(['other.db']);
  expect(() => database.totals()).toThrow('not open');
});

it('keeps the words in large leaves, because they are written once and searched often', () => {
  const path = join(temporaryFolder(), 'k.db');
  PassageDatabase.open(path).close();
  const sqlite = openSqlite(path);
  onTestFinished(() => void sqlite.close());
  const setting = sqlite.prepare('SELECT v FROM passage_words_config WHERE k = ?').pluck();
  expect(['pgsz', 'hashsize'].map((name) => setting.get(name))).toEqual([4050, 16777216]);
});

it('records under a name of its own whether its history is behind', () => {
  const database = open(join(temporaryFolder(), 'k.db'));
  for (const [isBehind, value] of [
    [true, '1'],
    [false, ''],
  ] as const) {
    database.setHistoryBehind(isBehind);
    expect([database.meta('history_behind'), database.meta('')]).toEqual([value, undefined]);
  }
});

it('rebuilds the file beside a link in its place, and leaves what the link points to', () => {
  const folder = temporaryFolder({ elsewhere: 'mine', 'k.db-journal': 'left', 'k.db-wal': 'left' });
  const path = join(folder, 'k.db');
  symlinkSync(join(folder, 'elsewhere'), path);
  const database = open(path);
  database.put(file('a.txt'), []);
  expect([readFileSync(join(folder, 'elsewhere'), 'utf8'), existsSync(`${path}-journal`)]).toEqual(['mine', false]);
});

describe('a stored file', () => {
  const whole = { ...file('a.txt'), size: 12, mtimeMs: 1.5, sha256: 'abc' };

  it.each([
    [true, false],
    [false, true],
  ])('is read as it was put: settled %s, tracked %s', (settled, tracked) => {
    const database = open(join(temporaryFolder(), 'k.db'));
    database.put({ ...whole, settled, tracked }, [passage('one'), passage('two')]);
    const { isText: _, worth: __, ...stored } = { ...whole, settled, tracked, id: 1, passages: 2 };
    expect(database.file('a.txt')).toEqual(stored);
    expect(database.files()).toEqual(new Map([['a.txt', stored]]));
    expect(database.file('b.txt')).toBeUndefined();
  });

  it('has the size and time of the last touch, and its passages as before', () => {
    const database = open(join(temporaryFolder(), 'k.db'));
    database.put(whole, [passage('one')]);
    database.put(file('b.txt'), []);
    database.touch('a.txt', 99, 7.5, false);
    expect(database.file('a.txt')).toMatchObject({
      size: 99,
      mtimeMs: 7.5,
      settled: false,
      sha256: 'abc',
      passages: 1,
    });
    database.touch('a.txt', 99, 8, true);
    expect(database.file('a.txt')).toMatchObject({ mtimeMs: 8, settled: true });
    expect(database.file('b.txt')).toMatchObject({ size: 3, mtimeMs: 1 });
  });

  it('is gone with its passages once removed, alone', () => {
    const database = open(join(temporaryFolder(), 'k.db'));
    for (const path of ['a.txt', 'b.txt']) database.put(file(path), [passage('word')]);
    expect(database.paths()).toEqual(['a.txt', 'b.txt']);
    expect(database.tracked.paths()).toEqual(['a.txt', 'b.txt']);
    database.remove('never.txt');
    database.remove('a.txt');
    expect([database.paths(), database.tracked.paths(), [...database.files().keys()]]).toEqual([
      ['b.txt'],
      ['b.txt'],
      ['b.txt'],
    ]);
    expect([database.frequency('word'), database.listPassages('a.txt'), database.listPassages('b.txt').length]).toEqual(
      [1, [], 1],
    );
  });

  it('is among the paths from the moment at which it is put', () => {
    const database = open(join(temporaryFolder(), 'k.db'));
    expect([database.paths(), database.tracked.paths()]).toEqual([[], []]);
    database.put(file('b.txt'), []);
    database.put({ ...file('a.txt'), tracked: false }, []);
    expect([database.paths(), database.tracked.paths()]).toEqual([['a.txt', 'b.txt'], ['b.txt']]);
  });
});

it('takes back the changes of a transaction that fails', () => {
  const database = open(join(temporaryFolder(), 'k.db'));
  database.together(() => database.setMeta('kept', '1'));
  expect(() =>
    database.together(() => {
      database.setMeta('kept', '2');
      throw new RangeError('no');
    }),
  ).toThrow(RangeError);
  expect([database.meta('kept'), database.meta('other')]).toEqual(['1', undefined]);
  database.setMeta('kept', '3');
  expect(database.meta('kept')).toBe('3');
});

describe('the time at which a file was changed', () => {
  const commit = (at: number, paths: string[]) => ({ hash: `h${at}`, at, author: 'Ada', subject: 's', paths });
  const changedMs = (database: PassageDatabase, path: string) => database.listPassages(path)[0]?.changedMs;
  const openWith = (paths: readonly string[]) => {
    const database = open(join(temporaryFolder(), 'k.db'));
    for (const path of paths) database.put(file(path), [passage('x')]);
    return database;
  };

  it('is that of the last commit that touched it, or 0', () => {
    const database = openWith(['a.txt', 'b.txt', 'c.txt']);
    database.putCommits([commit(30, ['a.txt']), commit(20, ['a.txt', 'b.txt'])]);
    expect(['a.txt', 'b.txt', 'c.txt'].map((path) => changedMs(database, path))).toEqual([30, 20, 0]);
    database.putCommits([commit(10, ['c.txt'])]);
    expect(['a.txt', 'b.txt', 'c.txt'].map((path) => changedMs(database, path))).toEqual([0, 0, 10]);
  });

  it('is set for the given paths when they are few, and otherwise for all', () => {
    const database = openWith([]);
    database.putCommits([commit(10, ['a.txt', 'b.txt'])]);
    for (const path of ['a.txt', 'b.txt']) database.put(file(path), [passage('x')]);
    const given = Array.from({ length: 1_000 }, (_, index) => (index === 0 ? 'a.txt' : `none-${index}.txt`));
    database.dateFiles(given);
    expect([changedMs(database, 'a.txt'), changedMs(database, 'b.txt')]).toEqual([10, 0]);
    database.dateFiles([...given, 'one more.txt']);
    expect(changedMs(database, 'b.txt')).toBe(10);
    database.put(file('b.txt'), [passage('x')]);
    database.dateFiles();
    expect(changedMs(database, 'b.txt')).toBe(10);
  });
});
