import { describe, expect, it } from 'vitest';
import { Fields, fitting } from './tool.js';

describe('a field of the input of a tool', () => {
  it.each([[undefined], [null], ['text'], [7]])('is missing in an input that is no object: %j', (input) => {
    expect(new Fields(input).optionalText('a', 10)).toBeUndefined();
  });

  it.each([
    [undefined, '`a` is missing: give a text.'],
    [null, '`a` is missing: give a text.'],
    ['', '`a` is missing: give a text.'],
    [7, '`a` must be a text.'],
    [['b'], '`a` must be a text.'],
    ['12345', '`a` is longer than 4 characters.'],
  ])('that is %j is no text', (a, words) => {
    expect(() => new Fields({ a }).text('a', 4)).toThrow(words);
    expect(() => new Fields({ a }).text('a', 4)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });

  it('is a text up to its length, and may be empty where it is optional', () => {
    const fields = new Fields({ a: '1234', b: '' });
    expect([fields.text('a', 4), fields.optionalText('a', 4), fields.optionalText('b', 4)]).toEqual([
      '1234',
      '1234',
      '',
    ]);
    expect(fields.optionalText('c', 4)).toBeUndefined();
    expect(() => fields.optionalText('a', 3)).toThrow('`a` is longer than 3 characters.');
  });

  it.each([
    [1, 1],
    ['12', 12],
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
  ])('that is %j is the line %j', (a, line) => {
    expect(new Fields({ a }).line('a')).toBe(line);
  });

  it.each([[0], [-5], [1.5], ['x'], [Number.MAX_SAFE_INTEGER + 1], [{}], [false]])('that is %j is no line', (a) => {
    expect(() => new Fields({ a }).line('a')).toThrow('`a` must be a whole number from 1.');
  });

  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [undefined, false],
  ])('that is %j is a flag that is %j', (a, isSet) => {
    expect(new Fields({ a }).flag('a')).toBe(isSet);
  });

  it.each([
    ['one\n\t two  three', 'one two three'],
    [7, '7'],
    [true, ''],
    [{}, ''],
    [undefined, ''],
    ['x'.repeat(301), 'x'.repeat(300)],
  ])('is shown on one line: %#', (a, shown) => {
    expect(new Fields({ a }).shown('a')).toBe(shown);
  });
});

it.each([
  [['ab', 'cd', 'e'], 8, 'ab\ncd\ne', 3],
  [['ab', 'cd', 'e'], 7, 'ab\ncd', 2],
  [['ab', 'cd', 'e'], 6, 'ab\ncd', 2],
  [['ab', 'cd', 'e'], 5, 'ab', 1],
  // In UTF-8.
  [['éé', 'a'], 7, 'éé\na', 2],
  [['éé', 'a'], 6, 'éé', 1],
  // What follows a line that is too long is left out too, however short.
  [['abcdef', ''], 3, '', 0],
  [[], 3, '', 0],
])('of the lines %j, those that fit into %i bytes are given', (lines, bytes, text, count) => {
  expect(fitting(lines, bytes)).toEqual({ text, count });
});
