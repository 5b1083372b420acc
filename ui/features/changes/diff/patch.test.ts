import { describe, expect, it } from 'vitest';
import { cutBlocks, getPlace, parsePatch, quoteRows, splitRows } from './patch.js';

const PATCH = [
  '@@ -1,4 +1,5 @@ export function light() {',
  ' const a = 1;',
  '-const b = 2;',
  '--- a/looks-like-a-header',
  '+const b = 3;',
  '+++ b/also',
  '+const c = 4;',
  ' done();',
  '@@ -20 +22,0 @@',
  '-last',
  '\\ No newline at end of file',
].join('\n');

describe('parsePatch', () => {
  const hunks = parsePatch(PATCH);

  it('gives hunks with their lines, and lines that look like headers stay lines', () => {
    expect(hunks.map(({ section, oldStart, newLines }) => [section, oldStart, newLines])).toEqual([
      ['export function light() {', 1, 5],
      ['', 20, 0],
    ]);
    expect(hunks[0]?.rows.map(({ kind, text, old, new: after }) => [kind, text, old, after])).toEqual([
      ['same', 'const a = 1;', 1, 1],
      ['removed', 'const b = 2;', 2, undefined],
      ['removed', '-- a/looks-like-a-header', 3, undefined],
      ['added', 'const b = 3;', undefined, 2],
      ['added', '++ b/also', undefined, 3],
      ['added', 'const c = 4;', undefined, 4],
      ['same', 'done();', 4, 5],
    ]);
  });

  it('keeps each hunk as it was given, and knows an end without a line feed', () => {
    expect(hunks.map(({ raw }) => raw).join('\n')).toBe(PATCH);
    expect(hunks[1]?.rows).toMatchObject([{ kind: 'removed', text: 'last', hasNoNewline: true }]);
    expect(parsePatch('')).toEqual([]);
  });

  it('pairs removed and added lines side by side', () => {
    const text = splitRows(hunks[0]?.rows ?? []).map(({ left, right }) => [left?.text, right?.text]);
    expect(text).toEqual([
      ['const a = 1;', 'const a = 1;'],
      ['const b = 2;', 'const b = 3;'],
      ['-- a/looks-like-a-header', '++ b/also'],
      [undefined, 'const c = 4;'],
      ['done();', 'done();'],
    ]);
  });

  it('names a line by the side on which it exists', () => {
    const rows = hunks[0]?.rows ?? [];
    expect([rows[0], rows[1], rows[3]].map((row) => row && getPlace(row))).toEqual([
      { side: 'new', line: 1 },
      { side: 'old', line: 2 },
      { side: 'new', line: 2 },
    ]);
  });

  it('quotes lines of one side as the diff shows them, cut at the limit', () => {
    expect(quoteRows(hunks, { side: 'new', start: 2, end: 3 }, 100)).toBe('+const b = 3;\n+++ b/also');
    expect(quoteRows(hunks, { side: 'old', start: 1, end: 2 }, 100)).toBe(' const a = 1;\n-const b = 2;');
    expect(quoteRows(hunks, { side: 'new', start: 1, end: 5 }, 10)).toBe(' const a …');
    expect(quoteRows(hunks, { side: 'new', start: 90, end: 91 }, 100)).toBe('');
  });
});

it('cuts rows into blocks', () => {
  expect(cutBlocks([1, 2, 3, 4, 5], 2)).toEqual([
    { from: 0, rows: [1, 2] },
    { from: 2, rows: [3, 4] },
    { from: 4, rows: [5] },
  ]);
});
