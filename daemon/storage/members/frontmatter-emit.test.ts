import { describe, expect, it } from 'vitest';
import { parseDocument, type Scalar } from 'yaml';
import { emitFlow, emitItem, emitKey, emitPair, emitValue } from './frontmatter-emit.js';

const read = (text: string): unknown => parseDocument(text, { version: '1.2', schema: 'core' }).toJS();

describe('a key', () => {
  it.each(['name', 'x-own', '_a', 'A1', 'null_'])('is written as it is when it is a word: %s', (key) => {
    expect(emitKey(key)).toBe(key);
  });

  it.each(['1a', 'a b', 'a:', '', 'null', 'true', '-a', 'é', 'a.b'])('is written in quotes otherwise: %j', (key) => {
    expect(emitKey(key)).toBe(JSON.stringify(key));
  });
});

describe('a value in brackets', () => {
  it.each<[unknown, string]>([
    ['word', 'word'],
    ['two words', 'two words'],
    ['./a/b.md', './a/b.md'],
    ['@me', '"@me"'],
    ['a-b_c@d.e', 'a-b_c@d.e'],
    ['a,b', '"a,b"'],
    ['é', '"é"'],
    ['1', '"1"'],
    ['true', '"true"'],
    ['ends ', '"ends "'],
    [`${'long words '.repeat(20)}end`, `${'long words '.repeat(20)}end`],
    ['', '""'],
    [12, '12'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, 'null'],
    [Number.NaN, '.nan'],
    [Number.POSITIVE_INFINITY, '.inf'],
    [Number.NEGATIVE_INFINITY, '-.inf'],
    [[], '[]'],
    [['a', ['b', 1]], '[a, [b, 1]]'],
    [{}, '{}'],
    [{ a: 1, 'b c': { d: null }, gone: undefined }, '{a: 1, "b c": {d: null}}'],
  ])('%j is written as %s', (value, text) => {
    expect(emitFlow(value)).toBe(text);
  });

  it('is read back the same', () => {
    const value = { a: ['@me', '- x', '#', "it's", '"', 'a: b', '[', '{', '?', '*x', '&x'], b: { c: -0.5 } };
    expect(read(`v: ${emitFlow(value)}`)).toEqual({ v: value });
  });
});

describe('a list or mapping', () => {
  it('is on one line up to a hundred characters', () => {
    const list = (last: number) => ['a'.repeat(48), 'b'.repeat(last)];
    expect(emitValue(list(48), '', '\n')).toBe(` [${'a'.repeat(48)}, ${'b'.repeat(48)}]`);
    expect(emitValue(list(49), '', '\n')).toBe(`\n  - ${'a'.repeat(48)}\n  - ${'b'.repeat(49)}`);
  });

  it.each([[['a', 1, true, null, 'x.y/z@w-1', '']], [[1e21, -1.5, Number.NaN]], [{ a: 'word', b: 2 }], [[]]])(
    'of plain words, numbers and the like is on one line: %j',
    (value) => {
      expect(emitValue(value, '', '\n')).toBe(` ${emitFlow(value)}`);
    },
  );

  it.each<[unknown, string]>([
    [['a b', 'c'], '\n    - a b\n    - c'],
    [[['a'], { b: 1 }], '\n    - [a]\n    - {b: 1}'],
    [{ a: 'two words', b: ['c'], gone: undefined }, '\n    a: two words\n    b: [c]'],
    [{ a: { b: 'two words' } }, '\n    a:\n      b: two words'],
    [[['a']], '\n    - [a]'],
    [['a:b'], '\n    - a:b'],
  ])('of other things is on lines of its own: %j', (value, text) => {
    expect(emitValue(value, '  ', '\n')).toBe(text);
  });

  it('has the line endings of the file', () => {
    expect(emitValue({ a: 'b c', d: ['e f'] }, '', '\r\n')).toBe('\r\n  a: b c\r\n  d:\r\n    - e f');
  });
});

describe('a text', () => {
  it.each<[string, string]>([
    ['word', ' word'],
    ['a: b', ' "a: b"'],
    ['two\nlines', ' |-\n    two\n    lines'],
    ['two\nlines\n', ' |\n    two\n    lines'],
    ['two\n\nlines', ' |-\n    two\n\n    lines'],
    ['ends in two\n\n', ' "ends in two\\n\\n"'],
    [' begins with space\nx', ' " begins with space\\nx"'],
    ['\nbegins with a line', ' "\\nbegins with a line"'],
    ['a\n  \nb', ' "a\\n  \\nb"'],
    ['a\n\tb', ' "a\\n\\tb"'],
    ['a\u0007', ' "a\\u0007"'],
    ['a\ttab', ' "a\\ttab"'],
    ['a\u2028b', ` ${JSON.stringify('a\u2028b')}`],
    ['a\ufeffb\nc', ` ${JSON.stringify('a\ufeffb\nc')}`],
    ['x'.repeat(200), ` ${'x'.repeat(200)}`],
    [`${'long words '.repeat(20)}end`, ` ${'long words '.repeat(20)}end`],
  ])('%j is written so that it is read back', (text, written) => {
    expect(emitValue(text, '  ', '\n')).toBe(written);
    expect(read(`  v:${written}\n`)).toEqual({ v: text });
  });

  it.each<[Scalar.Type | undefined, string]>([
    ['QUOTE_SINGLE', " 'Ada'"],
    ['QUOTE_DOUBLE', ' "Ada"'],
    ['PLAIN', ' Ada'],
    ['BLOCK_FOLDED', ' Ada'],
    [undefined, ' Ada'],
  ])('has the quoting %s of the one before it', (like, written) => {
    expect(emitValue('Ada', '', '\n', like)).toBe(written);
  });
});

it('writes an item of a list on one line, unless it is a text of several', () => {
  expect([emitItem(['a b'], '  ', '\n'), emitItem({ a: ['b c'] }, '  ', '\n'), emitItem(null, '  ', '\n')]).toEqual([
    ' [a b]',
    ' {a: [b c]}',
    ' null',
  ]);
  expect([emitItem('a b', '  ', '\n'), emitItem('a\nb', '  ', '\n'), emitItem(3, '', '\n')]).toEqual([
    ' a b',
    ' |-\n    a\n    b',
    ' 3',
  ]);
});

it('writes a pair with its indent and line ending', () => {
  expect(emitPair('x y', ['a b'], '  ', '\r\n')).toBe('  "x y":\r\n    - a b\r\n');
});
