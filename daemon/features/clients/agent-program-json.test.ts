import { expect, it } from 'vitest';
import { parseObject, toCount, toList, toObject, toText } from './agent-program-json.js';

const VALUES = { null: null, list: [1], text: 'a', number: 1, boolean: true, object: { a: 1 }, nothing: undefined };

it.each(Object.entries(VALUES))('%s is read as an object, a list and a text only where it is one', (kind, value) => {
  expect([toObject(value), toList(value), toText(value)]).toEqual([
    kind === 'object' ? { a: 1 } : {},
    kind === 'list' ? [1] : [],
    kind === 'text' ? 'a' : '',
  ]);
});

it.each([
  [0, 0],
  [7, 7],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [-1, undefined],
  [1.5, undefined],
  [Number.NaN, undefined],
  [Number.MAX_SAFE_INTEGER + 1, undefined],
  ['7', undefined],
  [null, undefined],
  [undefined, undefined],
])('%j is read as the count %j', (value, count) => {
  expect(toCount(value)).toBe(count);
});

it.each([
  ['{"a":1}', { a: 1 }],
  [' {} ', {}],
  ['[1]', undefined],
  ['"a"', undefined],
  ['1', undefined],
  ['null', undefined],
  ['{"a":', undefined],
  ['', undefined],
])('the line %j is read as the object %j', (line, object) => {
  expect(parseObject(line)).toEqual(object);
});
