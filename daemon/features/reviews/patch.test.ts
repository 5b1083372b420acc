import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, putFiles, temporaryRepository } from '../../testing/temporary-folder.js';
import { PATCH_OPTIONS, quoteLines, readPatch } from './patch.js';

const CHANGED = [
  'diff --git a/src/lamp.ts b/src/lamp.ts',
  'index 111..222 100644',
  '--- a/src/lamp.ts',
  '+++ b/src/lamp.ts',
  '@@ -1,3 +1,4 @@ class Lamp',
  ' one',
  '-two',
  '+TWO',
  '+2',
  ' three',
  '@@ -10 +11,2 @@',
  '-ten',
  '+TEN',
  '+more',
  '\\ No newline at end of file',
];
const GONE = ['diff --git a/gone.txt b/gone.txt', '--- a/gone.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-last'];
const text = (...files: string[][]) => `${files.flat().join('\n')}\n`;

describe('A patch', () => {
  it('is read file by file, with the places and lines of each hunk', () => {
    expect(readPatch(text(CHANGED, GONE))).toEqual([
      {
        path: 'src/lamp.ts',
        text: CHANGED.join('\n'),
        hunks: [
          { header: CHANGED[4], oldStart: 1, newStart: 1, lines: CHANGED.slice(5, 10) },
          { header: CHANGED[10], oldStart: 10, newStart: 11, lines: CHANGED.slice(11) },
        ],
      },
      {
        path: 'gone.txt',
        text: GONE.join('\n'),
        hunks: [{ header: '@@ -1 +0,0 @@', oldStart: 1, newStart: 0, lines: ['-last'] }],
      },
    ]);
  });

  it('has the numbers of hunks with more than one digit, and with none, one or two counts', () => {
    const header = (line: string) => text([...GONE.slice(0, 3), line, '-x']);
    const starts = (line: string) =>
      readPatch(header(line)).flatMap(({ hunks }) => hunks.map(({ oldStart, newStart }) => [oldStart, newStart]));
    expect(starts('@@ -120,30 +140,50 @@')).toEqual([[120, 140]]);
    expect(starts('@@ -120 +140 @@')).toEqual([[120, 140]]);
    expect(starts('@@ -120,30 +140 @@ x')).toEqual([[120, 140]]);
    expect(starts('@@ -120 +140,50 @@ x')).toEqual([[120, 140]]);
  });

  it('keeps the blank lines at the end of a file’s text out, and those of its contents in', () => {
    expect(readPatch(`${CHANGED.join('\n')}\n\n\n`)[0]?.text).toBe(CHANGED.join('\n'));
    const [file] = readPatch(text([...GONE.slice(0, 4), '-', ' ']));
    expect(file?.hunks[0]?.lines).toEqual(['-', ' ']);
  });

  it('takes lines of a file that look like headers as its contents', () => {
    const lines = [' @@ -7 +7 @@', '-diff --git a/x b/x', '+++ b/other', '--- a/other', '+diff --git a/y b/y'];
    const [file, ...rest] = readPatch(text([...CHANGED.slice(0, 5), ...lines]));
    expect(rest).toEqual([]);
    expect([file?.path, file?.hunks.map((hunk) => hunk.lines)]).toEqual(['src/lamp.ts', [lines]]);
  });

  it('names a file without contents by its header, and has no hunks then', () => {
    const mode = ['diff --git a/bin/run me b/bin/run me', 'old mode 100644', 'new mode 100755'];
    const binary = ['diff --git a/lamp.png b/lamp.png', 'Binary files a/lamp.png and b/lamp.png differ'];
    expect(readPatch(text(mode, binary)).map(({ path, hunks }) => [path, hunks])).toEqual([
      ['bin/run me', []],
      ['lamp.png', []],
    ]);
    expect(readPatch('diff --git a/x b/x')).toEqual([{ path: 'x', text: 'diff --git a/x b/x', hunks: [] }]);
  });

  it('holds no file when it is empty or something else', () => {
    expect(readPatch('')).toEqual([]);
    expect(readPatch('warning: diff --git a/x b/x\nof something\n')).toEqual([]);
  });

  it.each([
    ['"a/sch\\303\\266n.txt"', 'schön.txt'],
    ['"a/a\\a\\b\\t\\n\\v\\f\\rz"', 'a\u0007\b\t\n\v\f\rz'],
    ['"a/a\\\\b\\"c"', 'a\\b"c'],
    ['"a/\\0017"', '\u00017'],
    ['a/with blank.txt\t', 'with blank.txt'],
    ['a/plain"quote', 'plain"quote'],
  ])('undoes how git quotes the name %s', (written, path) => {
    const patch = text(['diff --git x y', `--- ${written}`, '+++ /dev/null', '@@ -1 +0,0 @@', '-x']);
    expect(readPatch(patch)[0]?.path).toBe(path);
  });

  it('names every file as the working tree does, whatever the user’s configuration says', () => {
    const names = ['plain.txt', 'with blank.txt', 'schön "x"\\.txt', 'tab\there\nand line', 'b/deep/a/file'];
    const root = temporaryRepository(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    for (const name of names.slice(1)) putFiles(root, { [name]: 'changed\n' });
    rmSync(join(root, 'plain.txt'));
    putFiles(root, { 'moved.txt': 'plain.txt\n' });
    git(root, 'add', '-A');
    const wild = ['color.ui=always', 'diff.noprefix=true', 'diff.mnemonicPrefix=true', 'diff.renames=copies'];
    const diff = git(root, ...wild.flatMap((one) => ['-c', one]), 'diff', ...PATCH_OPTIONS, 'HEAD');
    expect(readPatch(diff).map(({ path }) => path)).toEqual([...names, 'moved.txt'].sort());
  });
});

describe('A quote', () => {
  const [file] = readPatch(text(CHANGED));
  const quote = (side: 'old' | 'new', start: number, end: number) => file && quoteLines(file, side, start, end);

  it.each([
    ['new', 1, 1, ' one'],
    ['new', 2, 3, '+TWO\n+2'],
    ['new', 1, 4, ' one\n+TWO\n+2\n three'],
    ['new', 12, 12, '+more'],
    ['old', 2, 2, '-two'],
    ['old', 2, 3, '-two\n three'],
    ['old', 10, 10, '-ten'],
  ] as const)('of the %s lines %i to %i is what the diff shows of them', (side, start, end, shown) => {
    expect(quote(side, start, end)).toBe(shown);
  });

  it.each([
    ['new', 4, 5],
    ['new', 5, 5],
    ['new', 13, 13],
    ['new', 4, 11],
    ['new', 0, 1],
    ['old', 4, 4],
    ['old', 9, 10],
    ['old', 11, 11],
  ] as const)('of the %s lines %i to %i is empty, since the diff does not show them all', (side, start, end) => {
    expect(quote(side, start, end)).toBe('');
  });
});
