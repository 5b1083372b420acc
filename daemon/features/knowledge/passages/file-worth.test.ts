import { describe, expect, it } from 'vitest';
import { computeFileWeight, getFileRole, mayBeIndexed, readableText, splitLines } from './file-worth.js';

it.each([
  ...['logo.PNG', 'a.mp4', 'a.woff', 'a.gz', 'a.sqlite3', 'a.map', 'a.jpeg', 'src/a.o', 'a.docx'],
  ...['Package-Lock.json', 'cargo.lock', 'go.sum', 'my-lock.json', 'a.snap', 'x/a.bundle.js', 'bun.lockb', 'a.min.css'],
  ...['.mesh/a.md', 'x/.MESH/a.md', 'a.so', 'id_rsa'],
])('leaves %s out', (path) => expect(mayBeIndexed(path)).toBe(false));

it.each([
  'png',
  'a.png.md',
  'x.png/a.md',
  'a.map.ts',
  'package-lock.json.md',
  'my-package.json',
  'go.sums',
  'a.mesh/b.md',
])('indexes %s', (path) => expect(mayBeIndexed(path)).toBe(true));

describe('the role of a file', () => {
  it.each<[string, ReturnType<typeof getFileRole>]>([
    ['tests/README.md', 'test'],
    ['Unit_Test/a.ts', 'test'],
    ['a.spec.ts', 'test'],
    ['x/test_a.py', 'test'],
    ['a_test.go', 'test'],
    ['latest/a.ts', 'source'],
    ['test_a.js', 'source'],
    ['CHANGELOG', 'log'],
    ['docs/releases.md', 'log'],
    ['LICENSE-MIT', 'log'],
    ['historic.md', 'docs'],
    ['readme', 'readme'],
    ['x/README.rst', 'readme'],
    ['readme-old.md', 'docs'],
    ['my-readme', 'other'],
    ['examples/readme', 'readme'],
    ['examples/a.md', 'example'],
    ['vendor/a.c', 'example'],
    ['example.c', 'source'],
    ['package.json', 'manifest'],
    ['x/Makefile', 'manifest'],
    ['mypackage.json', 'other'],
    ['a.TXT', 'docs'],
    ['a.md.in', 'other'],
    ['docs/a.ts', 'example'],
    ['x/doc/a.py', 'example'],
    ['mydocs/a.ts', 'source'],
    ['docs/a.csv', 'other'],
    ['a.vim', 'source'],
    ['Vim', 'other'],
  ])('%s: %s', (path, role) => expect(getFileRole(path)).toBe(role));
});

it.each([
  ['README.md', 1.05],
  ['a.md', 1.12],
  ['a.ts', 1],
  ['package.json', 0.98],
  ['a.csv', 0.9],
  ['examples/a.ts', 0.75 * 0.985],
  ['tests/a.ts', 0.5 * 0.985],
  ['NEWS', 0.75],
  ['a/b/a.ts', 0.97],
  ['a/b/c/d/e/f/a.ts', 0.91],
  ['a/b/c/d/e/f/g/a.ts', 0.91],
  ['.x/a.ts', 0.8 * 0.985],
  ['.a.ts', 1],
  ['a/.x/a.ts', 0.97],
])('%s weighs %d', (path, weight) => expect(computeFileWeight(path)).toBeCloseTo(weight, 10));

describe('a text that a person wrote', () => {
  const isText = (...parts: (string | number[])[]) =>
    readableText(Buffer.concat(parts.map((part) => Buffer.from(part as string)))) !== undefined;
  const broken = (count: number) => Array.from({ length: count }, () => 0xff);

  it('holds no zero byte near its beginning', () => {
    expect([isText('a\n'.repeat(4_095), 'a', [0]), isText('a\n'.repeat(4_096), [0])]).toEqual([false, true]);
  });

  it('holds at most 64 bytes that are no UTF-8, and a tenth of its length', () => {
    const line = `${'a'.repeat(99)}\n`;
    expect([isText(line.repeat(20), broken(64)), isText(line.repeat(20), broken(65))]).toEqual([true, false]);
    expect([isText('a'.repeat(90), broken(10)), isText('a'.repeat(90), broken(11))]).toEqual([true, false]);
    expect(isText('')).toBe(true);
  });

  it('has lines of at most 400 characters on average', () => {
    expect([isText('a'.repeat(400)), isText('a'.repeat(401))]).toEqual([true, false]);
    expect([isText('a'.repeat(799), '\n'), isText('a'.repeat(800), '\n')]).toEqual([true, false]);
    expect(readableText(Buffer.from('ä\n'))).toBe('ä\n');
  });
});

it.each([
  ['a\nb', ['a', 'b']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a\n\n', ['a', '']],
  ['a\rb\r\nc', ['a\rb', 'c']],
  ['a\r', ['a']],
  ['', []],
])('splits %j into lines', (text, lines) => expect(splitLines(text)).toEqual(lines));
