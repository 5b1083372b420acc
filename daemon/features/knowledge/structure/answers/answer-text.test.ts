import { describe, expect, it } from 'vitest';
import type { Definition, Place, Places } from '../places.js';
import {
  at,
  byName,
  code,
  count,
  definitionItem,
  distinct,
  formatNames,
  formatTitle,
  names,
  shown,
} from './answer-text.js';

const definition = (parts: Partial<Definition> = {}): Definition => ({
  ...{
    path: 'a.ts',
    startLine: 3,
    endLine: 5,
    text: '',
    container: '',
    role: 0,
    name: 'light',
    kind: 'method',
    doc: '',
  },
  ...parts,
});
const places = (...texts: string[]): Places => ({
  ...{ total: texts.length, files: 1, byName: false },
  places: texts.map((text): Place => ({ path: 'a.ts', startLine: 1, endLine: 1, text, container: '', role: 0 })),
});

it('says where something is, and what it is called with the names around it', () => {
  expect(at(definition())).toBe('`a.ts:3`');
  expect([formatTitle(definition()), formatTitle(definition({ container: 'Lamp' }))]).toEqual(['light', 'Lamp.light']);
  expect(definitionItem(definition({ container: 'Lamp' }))).toMatchObject({
    path: 'a.ts',
    label: 'method `Lamp.light`',
  });
});

it.each([
  ['light', 'light', 'light'],
  ['LIGHT', 'light', 'light'],
  ['lamp.LIGHT', 'light', 'lamp.LIGHT'],
  ['light()', 'light', 'light'],
  ['lamp.light()', 'light', 'lamp.light'],
  ['lit', 'lit?', 'lit?'],
  ['lit', 'lit!', 'lit!'],
  ['lit', 'lit??', 'lit'],
  ['other', 'light', 'other'],
  ['lig', 'light', 'lig'],
])('calls what %s asks for and %s is, %s', (name, defined, said) => {
  expect(shown(name, definition({ name: defined }))).toBe(said);
});

it.each([
  [1, 'place', '1 place'],
  [0, 'place', '0 places'],
  [2, 'place', '2 places'],
  [1, 'class', '1 class'],
])('counts %i %s', (number, noun, said) => {
  expect(count(number, noun)).toBe(said);
});

it('takes another plural for classes alone', () => {
  expect([count(2, 'class', 'es'), count(2, 'place', 'es'), count(1, 'class', 'es')]).toEqual([
    ...['2 classes', '2 places', '1 class'],
  ]);
});

it.each([
  ['a', 80, '`a`'],
  [' a  `b`\n c ', 80, '`a b c`'],
  ['abcd', 4, '`abcd`'],
  ['abcde', 4, '`abc…`'],
  ['', 4, '``'],
])('puts %j in backticks, up to %i characters', (text, most, said) => {
  expect(code(text, most)).toBe(said);
});

it('puts eighty characters in backticks where nothing else is said', () => {
  expect([code('x'.repeat(80)).length, code('x'.repeat(81)).length]).toEqual([82, 82]);
});

describe('names', () => {
  it('are listed once each, up to twelve or as many as asked', () => {
    expect(names(places('a', 'b', 'a'))).toBe('`a`, `b`');
    expect(names(places('a', 'b', 'c'), 2)).toBe('`a`, `b`, and 1 more');
    expect(formatNames(['a', 'b'], 2)).toBe('`a`, `b`');
    expect(formatNames([])).toBe('');
    const many = Array.from({ length: 13 }, (_, index) => `n${index}`);
    expect(formatNames(many)).toMatch(/`n11`, and 1 more$/);
    expect(distinct(places('a', 'b', 'a'))).toBe(2);
  });

  it('may be all that is known', () => {
    expect(byName(places('a'))).toEqual([]);
    expect(byName({ ...places('a'), byName: true })).toEqual(['Some of these are found by name, not by type.']);
  });
});
