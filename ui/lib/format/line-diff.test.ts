import { describe, expect, it } from 'vitest';
import { diffLines, hunks } from './line-diff.js';

const short = (before: string, after: string) =>
  diffLines(before, after).map((line) => `${{ same: ' ', added: '+', removed: '-' }[line.kind]}${line.text}`);

describe('line diff', () => {
  it('finds no change in equal texts', () => {
    expect(short('a\nb', 'a\nb')).toEqual([' a', ' b']);
  });

  it('keeps common lines and puts removals before additions', () => {
    expect(short('a\nb\nc\nd', 'a\nx\nc\ny\nd')).toEqual([' a', '-b', '+x', ' c', '+y', ' d']);
  });

  it('numbers the lines on both sides', () => {
    const changed = diffLines('a\nb\nc', 'a\nc\nd').map((line) => [line.kind, line.oldNumber, line.newNumber]);
    expect(changed).toEqual([
      ['same', 1, 1],
      ['removed', 2, undefined],
      ['same', 3, 2],
      ['added', undefined, 3],
    ]);
  });

  it('replaces a very large middle as a whole instead of computing an exact diff', () => {
    const big = (word: string) => Array.from({ length: 2_000 }, (_, i) => `${word}${i}`).join('\n');
    const lines = diffLines(big('a'), big('b'));
    expect(lines.filter((line) => line.kind === 'removed')).toHaveLength(2_000);
    expect(lines.filter((line) => line.kind === 'added')).toHaveLength(2_000);
  });

  it('groups changed lines with their context and counts the skipped lines', () => {
    const before = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const after = [...before];
    after[3] = 'changed';
    after[20] = 'changed too';
    const found = hunks(diffLines(before.join('\n'), after.join('\n')), 2);
    expect(found.map((hunk) => [hunk.skipped, hunk.lines.length])).toEqual([
      [1, 6],
      [12, 6],
    ]);
  });
});
