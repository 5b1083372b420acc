import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
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

it.each([
  [
    'no database',
    (path: string) => writeFileSync(path, 'not a database at all, but long enough to be looked at as one'),
  ],
  [
    'of another version',
    (path: string) => void openSqlite(path).exec('CREATE TABLE t (a); PRAGMA user_version = 999').close(),
  ],
])('rebuilds a file that is %s', (_, prepare) => {
  const path = join(temporaryFolder(), 'k.db');
  prepare(path);
  expect(open(path).totals()).toEqual({ files: 0, notText: 0, passages: 0, bytes: 0 });
});
