import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type NewPassage, PassageDatabase } from './passage-database.js';

/** Puts a file whose passages have the given columns, each on a line of its own. */
function openIndex() {
  const database = PassageDatabase.open(join(temporaryFolder(), 'k.db'));
  onTestFinished(() => database.close());
  const put = (path: string, passages: Partial<NewPassage>[], { tracked = true, worth = 1, isText = true } = {}) =>
    database.put(
      { path, size: 3, mtimeMs: 1, sha256: 'x', settled: true, tracked, worth, isText },
      passages.map((one, index) => ({
        ...{ startLine: index + 1, endLine: index + 1, kind: 'text', title: '', pathWords: '', names: '', text: '' },
        ...one,
      })),
    );
  return { database, put };
}

const placesOf = (rows: readonly { path: string; startLine: number }[]) =>
  rows.map(({ path, startLine }) => `${path}:${startLine}`);

describe('a search', () => {
  it('returns passages as they were put, with a score that is higher for a better one', () => {
    const { database, put } = openIndex();
    put('a.ts', [{ text: 'harbour', title: 'A title', kind: 'code', startLine: 3, endLine: 8 }], { worth: 2 });
    put('b.ts', [{ text: 'nothing' }]);
    expect(database.search('harbour', 5)).toEqual([
      {
        ...{ id: 1, file: 1, path: 'a.ts', worth: 2, changedMs: 0, startLine: 3, endLine: 8 },
        ...{ kind: 'code', title: 'A title', bm25: expect.any(Number) },
      },
    ]);
    expect(database.search('harbour', 5)[0]?.bm25).toBeGreaterThan(0);
  });

  it('weighs the title most, then the path, then the text and the names alike', () => {
    const { database, put } = openIndex();
    for (const [path, column] of Object.entries({ a: 'text', b: 'names', c: 'pathWords', d: 'title' }))
      put(path, [{ [column]: 'harbour' }]);
    for (let other = 0; other < 20; other += 1) put(`other${other}`, [{ text: 'sea' }]);
    const found = database.search('harbour', 9);
    expect(found.map(({ path }) => path)).toEqual(['d', 'c', 'a', 'b']);
    expect(found[2]?.bm25).toBe(found[3]?.bm25);
  });

  it('returns equal passages by path and line, and at most as many as wanted', () => {
    const { database, put } = openIndex();
    put('b', [{ text: 'harbour', startLine: 5 }, { text: 'harbour', startLine: 2 }, { text: 'sea' }]);
    put('a', [{ text: 'harbour' }]);
    expect(placesOf(database.search('harbour', 9))).toEqual(['a:1', 'b:2', 'b:5']);
    expect(database.search('harbour', 2)).toHaveLength(2);
  });

  it('by other programs neither finds nor counts passages of untracked files', () => {
    const { database, put } = openIndex();
    put('untracked', [{ text: 'harbour' }, { text: 'harbour' }], { tracked: false });
    put('tracked', [{ text: 'harbour' }]);
    put('untracked too', [{ text: 'harbour' }], { tracked: false });
    put('tracked too', [{ text: 'harbour' }]);
    const counts = (reader: PassageDatabase['tracked']) => [
      reader.frequency('harbour'),
      placesOf(reader.search('harbour', 9)),
    ];
    expect(counts(database.tracked)).toEqual([2, ['tracked:1', 'tracked too:1']]);
    expect(counts(database)).toEqual([
      5,
      ['tracked:1', 'tracked too:1', 'untracked:1', 'untracked:2', 'untracked too:1'],
    ]);
  });
});

describe('the files in scope', () => {
  it('are all, or those that git tracks', () => {
    const { database, put } = openIndex();
    put('a', [{ text: 'one' }, { text: 'two' }]);
    put('b', [{ text: 'one' }], { tracked: false });
    put('c', [], { isText: false });
    put('d', [], { isText: false, tracked: false });
    expect([database.totals(), database.tracked.totals()]).toEqual([
      { files: 2, notText: 2, passages: 3, bytes: 12 },
      { files: 1, notText: 1, passages: 2, bytes: 6 },
    ]);
    for (const [path, inAll, inTracked] of [
      ['a', true, true],
      ['b', true, false],
      ['e', false, false],
    ] as const)
      expect([database.holds(path), database.tracked.holds(path)]).toEqual([inAll, inTracked]);
    expect([database.listPassages('b').length, database.tracked.listPassages('b')]).toEqual([1, []]);
  });

  it('are listed until the list is to be read again', () => {
    const { database, put } = openIndex();
    put('b', []);
    put('a', []);
    const list = database.paths();
    expect(list).toEqual(['a', 'b']);
    expect(database.paths()).toBe(list);
    database.forgetPaths();
    expect(database.paths()).not.toBe(list);
    expect(database.paths()).toEqual(list);
  });
});

it('lists the passages of one file in the order of lines', () => {
  const { database, put } = openIndex();
  put('b', [{}]);
  put('a', [{ startLine: 9, endLine: 12, title: 'later', kind: 'code' }, { startLine: 4 }], { worth: 3 });
  expect(database.listPassages('a')).toMatchObject([
    { path: 'a', startLine: 4, worth: 3, bm25: 0 },
    { path: 'a', startLine: 9, endLine: 12, title: 'later', kind: 'code' },
  ]);
});

describe('commits', () => {
  const COMMITS = [
    { hash: 'c3', at: 30, author: 'Ada', subject: 'mend the harbour', paths: ['b.ts', 'a.ts'] },
    { hash: 'c2', at: 20, author: 'Bea', subject: 'build the harbours', paths: ['a.ts'] },
    { hash: 'c1', at: 20, author: 'Ada', subject: 'begin', paths: [] },
  ];
  const openHistory = () => {
    const { database } = openIndex();
    database.putCommits([{ hash: 'old', at: 1, author: 'Old', subject: 'harbour', paths: ['a.ts'] }]);
    database.putCommits(COMMITS);
    return database;
  };
  const row = (index: number) => {
    const { paths: _, ...commit } = COMMITS[index] as (typeof COMMITS)[number];
    return { id: index + 1, ...commit, bm25: 0 };
  };

  it('are listed in the order in which they were stored, the newest first', () => {
    const database = openHistory();
    expect(database.latestCommits(9)).toEqual([row(0), row(1), row(2)]);
    expect(database.latestCommits(1)).toEqual([row(0)]);
  });

  it('are found by any form of a word in their subject', () => {
    const database = openHistory();
    const found = database.searchCommits('harbour', 9);
    expect(found).toEqual([0, 1].map((index) => ({ ...row(index), bm25: expect.any(Number) })));
    expect(database.searchCommits('harbour', 1)).toHaveLength(1);
    expect(database.searchCommits('begin', 9)[0]?.bm25).toBeGreaterThan(0);
  });

  it('are found by a path that they touched, the newest first', () => {
    const database = openHistory();
    expect(database.listCommits('a.ts', 9)).toEqual([row(0), row(1)]);
    expect([database.listCommits('a.ts', 1), database.listCommits('b.ts', 9), database.listCommits('c.ts', 9)]).toEqual(
      [[row(0)], [row(0)], []],
    );
    expect([1, 3].map((id) => database.commitPaths(id, 9))).toEqual([['a.ts', 'b.ts'], []]);
    expect(database.commitPaths(1, 1)).toEqual(['a.ts']);
  });

  it('that are cut are told after others, and so is a history that is behind', () => {
    const { database } = openIndex();
    database.putCommits(COMMITS.map((commit, index) => ({ ...commit, isCut: index < 2 })));
    expect([0, 1, 2].map((index) => database.cutAfter(row(index))?.hash)).toEqual([undefined, 'c3', 'c3']);
    // Of two commits of one time the one stored first is the newer one.
    const newerThan = (cut: number) => {
      database.putCommits(COMMITS.map((commit, index) => ({ ...commit, isCut: index === cut })));
      return [0, 1, 2].map((index) => database.cutAfter(row(index))?.hash);
    };
    expect([newerThan(0), newerThan(1), newerThan(2)]).toEqual([
      [undefined, 'c3', 'c3'],
      [undefined, undefined, 'c2'],
      [undefined, undefined, undefined],
    ]);
    expect(database.isHistoryBehind).toBe(false);
    database.setHistoryBehind(true);
    expect([database.isHistoryBehind, database.tracked.isHistoryBehind]).toEqual([true, true]);
    database.setHistoryBehind(false);
    expect(database.isHistoryBehind).toBe(false);
  });
});

it('returns the stems that begin with a letter, in order', () => {
  const { database, put } = openIndex();
  put('a', [{ text: 'harbours hammer apple ivy', title: 'Helm' }]);
  expect(database.stemsFrom('h')).toEqual(['hammer', 'harbour', 'helm']);
});

describe('titles that contain a part', () => {
  it('are found in any case: files of worth first, then by path and line', () => {
    const { database, put } = openIndex();
    put('b', [{ title: 'The Harbour', startLine: 7 }, { title: 'harbour', startLine: 2 }, { title: 'sea' }]);
    put('a', [{ title: 'HARBOURS' }]);
    put('c', [{ title: 'a harbour' }], { worth: 2 });
    put('d', [{ title: 'harbour' }], { tracked: false });
    const found = database.titlesWith('HarBour', 9);
    expect(placesOf(found)).toEqual(['c:1', 'a:1', 'b:2', 'b:7', 'd:1']);
    expect(found[0]).toEqual({ path: 'c', title: 'a harbour', startLine: 1 });
    expect(placesOf(database.tracked.titlesWith('harbour', 9))).toEqual(['c:1', 'a:1', 'b:2', 'b:7']);
    expect(database.titlesWith('harbour', 2)).toHaveLength(2);
  });

  it('are found in any case of any script', () => {
    const { database, put } = openIndex();
    put('a', [{ title: 'École de ПОРТ' }]);
    for (const part of ['École', 'école', 'ÉCOLE', 'порт'])
      expect([part, placesOf(database.titlesWith(part, 9))]).toEqual([part, ['a:1']]);
    expect(database.titlesWith('ecole', 9)).toEqual([]);
  });
});
