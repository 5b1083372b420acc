import { expect, it } from 'vitest';
import { ImportRecords } from './import-records.js';

/** Records in a file that holds `whole`. */
function records(whole?: Record<string, unknown>) {
  let stored = whole;
  let problem: Error | undefined;
  const file = {
    read: async () => stored,
    write: async (next: Record<string, unknown>) => {
      if (problem) throw problem;
      stored = JSON.parse(JSON.stringify(next));
    },
  };
  return {
    records: new ImportRecords(file as never),
    stored: () => stored,
    fail: (error?: Error) => {
      problem = error;
    },
  };
}

const ONE = { path: 'a.md', sha256: 's1', id: 'one', format: 'claude', created: true } as const;

it('what was written is known by its path, until it is forgotten', async () => {
  const { records: noted, stored } = records();
  expect([await noted.findWritten('a.md'), await noted.listWritten()]).toEqual([undefined, []]);
  await noted.wrote(ONE);
  await noted.wrote({ ...ONE, path: 'b.md', created: false });
  expect(await noted.findWritten('a.md')).toEqual(ONE);
  expect(await noted.listWritten()).toEqual([ONE, { ...ONE, path: 'b.md', created: false }]);
  expect([
    await noted.isOurs('a.md', 's1'),
    await noted.isOurs('a.md', 's2'),
    await noted.isOurs('c.md', 's1'),
  ]).toEqual([...[true, false, false]]);
  await noted.forget('a.md');
  expect(stored()).toEqual({ written: { 'b.md': { sha256: 's1', id: 'one', format: 'claude', created: false } } });
});

it('a member of the home folder is known by its source', async () => {
  const { records: noted, stored } = records({ other: 1 });
  await noted.importedFromHome('one', '~/a.md');
  expect([await noted.isFromHome('one', '~/a.md'), await noted.isFromHome('one', '~/b.md')]).toEqual([true, false]);
  expect(await noted.isFromHome('two', '~/a.md')).toBe(false);
  expect(stored()).toEqual({ other: 1, from_home: { one: '~/a.md' } });
});

it.each([
  ['sha256', 3],
  ['id', null],
  ['format', 'emacs'],
])('a record with a strange %s is none', async (key, value) => {
  const { records: noted } = records({ written: { 'a.md': { ...ONE, [key]: value }, 'b.md': 3 } });
  expect([await noted.findWritten('a.md'), await noted.listWritten()]).toEqual([undefined, []]);
});

it('a record that does not say so is of no file that was created', async () => {
  const { records: noted } = records({ written: { 'a.md': { ...ONE, created: 'yes' } } });
  expect((await noted.findWritten('a.md'))?.created).toBe(false);
});

it('records that are no object are replaced', async () => {
  const { records: noted, stored } = records({ written: 'x', from_home: [] });
  expect(await noted.listWritten()).toEqual([]);
  await noted.wrote(ONE);
  await noted.importedFromHome('one', '~/a.md');
  expect(stored()).toMatchObject({ written: { 'a.md': { id: 'one' } }, from_home: { one: '~/a.md' } });
});

it('notes at the same time are all kept, and one that fails hinders no other', async () => {
  const { records: noted, fail } = records();
  await Promise.all(['a.md', 'b.md', 'c.md'].map((path) => noted.wrote({ ...ONE, path })));
  expect((await noted.listWritten()).map(({ path }) => path)).toEqual(['a.md', 'b.md', 'c.md']);
  fail(new Error('No space.'));
  await expect(noted.wrote({ ...ONE, path: 'd.md' })).rejects.toThrow('No space.');
  fail();
  await noted.wrote({ ...ONE, path: 'e.md' });
  expect((await noted.listWritten()).map(({ path }) => path)).toEqual(['a.md', 'b.md', 'c.md', 'e.md']);
});
