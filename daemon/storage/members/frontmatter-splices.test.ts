import { describe, expect, it } from 'vitest';
import { isMap, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { applySplices, removePairLines, replaceValue, updateValue } from './frontmatter-splices.js';

const root = (text: string) => parseDocument(text, { keepSourceTokens: true }).contents as YAMLMap | YAMLSeq;
const place = (text: string) => ({ text, indent: '', eol: '\n' });
const firstPair = (text: string) => {
  const node = root(text);
  return (isMap(node) ? node.items[0] : (node.items[0] as YAMLMap).items[0]) as Pair;
};

describe('splices', () => {
  it('are applied in the order of the text, whatever their own order', () => {
    const splices = [
      { start: 4, end: 5, text: 'E' },
      { start: 0, end: 1, text: '' },
      { start: 2, end: 2, text: '--' },
    ];
    expect(applySplices('abcdef', splices)).toBe('b--cdEf');
    expect(splices[0]).toEqual({ start: 4, end: 5, text: 'E' });
  });

  it.each([[[0, 1]], [[1, 0]]])('insert before what is replaced at the same place: order %j', (order) => {
    const splices = [
      { start: 2, end: 4, text: 'X' },
      { start: 2, end: 2, text: '+' },
    ];
    expect(
      applySplices(
        'abcdef',
        order.flatMap((at) => splices[at] ?? []),
      ),
    ).toBe('ab+Xef');
  });

  it('insert several texts at one place in the given order', () => {
    const at = (text: string) => ({ start: 1, end: 1, text });
    expect(applySplices('ab', [at('1'), at('2'), at('3')])).toBe('a123b');
  });
});

describe('the lines of a pair', () => {
  it.each<[string, string]>([
    ['a: 1\nb: 2\n', 'b: 2\n'],
    ['?  a\n: 1\nb: 2\n', 'b: 2\n'],
    ['&anchor   a: 1\nb: 2\n', 'b: 2\n'],
    ['? "a\n  b"\nc: 2\n', 'c: 2\n'],
    ['a: # c\nb: 2\n', 'b: 2\n'],
  ])('are removed whole from %j', (text, left) => {
    const splice = removePairLines(place(text), firstPair(text));
    expect(splice && applySplices(text, [splice])).toBe(left);
  });

  it.each(['- a: 1\n  b: 2\n', '{a: 1}\n', '&anchor\ta: 1\nb: 2\n'])(
    'are not removed when the first one holds something else: %j',
    (text) => {
      expect(removePairLines(place(text), firstPair(text))).toBeUndefined();
    },
  );
});

it('has no place for a value without a colon', () => {
  expect(replaceValue(place('? a\nb: 1\n'), firstPair('? a\nb: 1\n'), 'x', 'readable')).toEqual([]);
});

describe('an update', () => {
  const LIST = 'a:\n  - x # x\n  - y # y\n';

  it.each<[string, string, unknown]>([
    ['an empty list', LIST, []],
    ['an empty mapping', 'a:\n  x: 1\n', {}],
    ['a mapping in place of a list', LIST, { x: 1 }],
    ['a list in place of a mapping', 'a:\n  x: 1\n', ['x']],
    ['nothing in place of a mapping', 'a:\n  x: 1\n', null],
    ['a list in brackets', 'a: [x, y]\n', ['x']],
    ['a mapping in braces', 'a: {x: 1}\n', { x: 2 }],
    ['a list that begins on the line of its colon', '? a\n: - x\n  - y\n', ['x']],
    ['a mapping that begins on the line of its colon', '? a\n: x: 1\n  y: 2\n', { x: 1 }],
  ])('is not made for %s', (_case, text, value) => {
    expect(updateValue(place(text), firstPair(text), value)).toBeUndefined();
  });

  it('changes nothing but the line that differs', () => {
    expect(updateValue(place(LIST), firstPair(LIST), ['y'])).toEqual([{ start: 3, end: 13, text: '' }]);
    expect(updateValue(place(LIST), firstPair(LIST), ['x', 'z'])).toEqual([{ start: 16, end: 18, text: ' z' }]);
    expect(updateValue(place(LIST), firstPair(LIST), ['x', 'y'])).toEqual([]);
  });
});
