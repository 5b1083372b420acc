import { describe, expect, it } from 'vitest';
import type { FoundSymbol } from '../../../storage/database/structure-reader.js';
import { hasContainer, kindRank, type Place, sortPlaces, splitName, toDefinition, toPlaces } from './places.js';

const place = (path: string, parts: Partial<Place> = {}): Place => ({
  ...{ path, startLine: 1, endLine: 1, text: '', container: '', role: 0 },
  ...parts,
});
const found: FoundSymbol = {
  ...{ id: 7, file: 3, path: 'a.ts', role: 1, line: 4, endLine: 9, name: 'light', kind: 'method', container: 'Lamp' },
  ...{ signature: 'light()', doc: 'Lights.', exported: 1, isDeclaration: false, parameters: undefined, language: 'x' },
};

it.each([
  ['Lamp.light', ['Lamp', 'light']],
  ['town::Lamp::light', ['town', 'Lamp', 'light']],
  ['Lamp#light', ['Lamp', 'light']],
  ['lamp->light', ['lamp', 'light']],
  ['Town\\Lamp', ['Town', 'Lamp']],
  ['light()', ['light']],
  ['.light.', ['light']],
  ['light', ['light']],
  ['', []],
])('splits %s', (name, parts) => {
  expect(splitName(name)).toEqual(parts);
});

describe('hasContainer', () => {
  it.each<[string, string[], string, boolean]>([
    ['', [], 'a.ts', true],
    ['Lamp', ['Lamp'], 'a.ts', true],
    ['town.Lamp', ['Lamp'], 'a.ts', true],
    ['town.Lamp', ['town', 'Lamp'], 'a.ts', true],
    ['town.Lamp', ['town'], 'a.ts', false],
    ['Lamp', ['lamp'], 'a.ts', true],
    ['Lamps', ['Lamp'], 'a.ts', false],
    ['', ['lamp'], 'src/lamp.ts', true],
    ['', ['src', 'lamp'], 'src/lamp.ts', true],
    ['', ['src'], 'src/lamp.ts', true],
    ['', ['SRC'], 'src/lamp.ts', true],
    ['', ['Src'], 'SRC/lamp.ts', true],
    ['', ['town', 'src'], 'town/src/lamp.ts', true],
    ['', ['town'], 'town/src/lamp.ts', false],
    ['Lamp', ['src'], 'src/lamp.ts', false],
    ['Lamp', ['file', 'Lamp'], 'src/file.ts', true],
    ['Lamp', ['src', 'Lamp'], 'src/file.ts', false],
    ['', ['lamp.ts'], 'src/lamp.ts', false],
    ['', ['b', 'a', 'lamp'], 'a/lamp.ts', false],
  ])('of %j for %j in %s is %s', (container, wanted, path, is) => {
    expect(hasContainer(container, wanted, path)).toBe(is);
  });
});

it('ranks a class before a function, both before a field, and other kinds last', () => {
  const rank = (kind: string) => kindRank({ ...found, kind });
  const kinds =
    'class interface struct trait enum record function macro type module method constant variable field other';
  expect(kinds.split(' ').map(rank)).toEqual(Array.from({ length: 15 }, (_, at) => at));
});

it('sorts sources before tests, then by steps, path and line', () => {
  const sorted = sortPlaces([
    place('b.ts', { startLine: 12 }),
    place('b.ts', { startLine: 9 }),
    place('a.test.ts', { role: 1 }),
    place('a.ts', { depth: 2 }),
    place('c.ts', { depth: 1 }),
    place('a.ts', { startLine: 3 }),
  ]);
  expect(sorted.map(({ path, startLine, depth = 0 }) => `${path}:${startLine} ${depth}`)).toEqual([
    'a.ts:3 0',
    'b.ts:9 0',
    'b.ts:12 0',
    'c.ts:1 1',
    'a.ts:1 2',
    'a.test.ts:1 0',
  ]);
});

it('counts all places and their files, and returns two hundred', () => {
  const all = Array.from({ length: 201 }, (_, at) => place(at % 2 === 0 ? 'a.ts' : 'b.ts'));
  expect(toPlaces(all)).toEqual({ total: 201, files: 2, places: all.slice(0, 200) });
});

it('says of a definition what it is, and its parameters when it has some', () => {
  const said = {
    ...{ path: 'a.ts', startLine: 4, endLine: 9, text: 'light()', container: 'Lamp', role: 1 },
    ...{ name: 'light', kind: 'method', doc: 'Lights.' },
  };
  expect(toDefinition(found)).toEqual(said);
  expect(toDefinition({ ...found, parameters: [] })).toEqual({ ...said, parameters: [] });
});
