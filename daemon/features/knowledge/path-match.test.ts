import { expect, it } from 'vitest';
import { bestPaths, pathsContaining } from './path-match.js';

const PATHS = ['README.md', 'docs/dusk.md', 'dusk/notes.md', 'src/dusk.ts', 'src/is-dusk.ts', 'src/lamp.ts'];

it('ranks by name prefix, then name, then path, then letters in order', () => {
  expect(bestPaths(PATHS, 'Dusk', 9)).toEqual(['src/dusk.ts', 'docs/dusk.md', 'src/is-dusk.ts', 'dusk/notes.md']);
  expect(bestPaths(PATHS, 'slmp', 9)).toEqual(['src/lamp.ts']);
  expect(bestPaths(PATHS, 'src/d', 1)).toEqual(['src/dusk.ts']);
});

it('returns the shortest paths for an empty query, and nothing without a match', () => {
  expect(bestPaths(PATHS, ' ', 2)).toEqual(['README.md', 'src/dusk.ts']);
  expect(bestPaths(PATHS, 'zz', 9)).toEqual([]);
});

it('ignores case and the space around the words', () => {
  expect(bestPaths(['src/Dusk.ts'], '  dUSK ', 9)).toEqual(['src/Dusk.ts']);
});

it('finds letters in their order, each once', () => {
  expect(bestPaths(['a/bcd'], 'abd', 9)).toEqual(['a/bcd']);
  expect(bestPaths(['a/bcd'], 'adb', 9)).toEqual([]);
  expect(bestPaths(['a/bcd'], 'abb', 9)).toEqual([]);
  expect(bestPaths(['xab'], 'xb', 9)).toEqual(['xab']);
});

it('orders equal matches by length, then as they were given', () => {
  expect(bestPaths(['b/lamp.ts', 'a/lamp.ts', 'lamp.ts'], 'lamp', 9)).toEqual(['lamp.ts', 'b/lamp.ts', 'a/lamp.ts']);
  expect(bestPaths(['lamps/wick.ts', 'a/b/my-lamp.ts', 'a/b/c/lamp.ts'], 'lamp', 9)).toEqual([
    ...['a/b/c/lamp.ts', 'a/b/my-lamp.ts', 'lamps/wick.ts'],
  ]);
});

it('finds paths that contain every word, by the name first', () => {
  const paths = [
    'lamp/wick.ts',
    'a/b/my-lamp-wick.ts',
    'a/b/c/d/Lamp-Wick.ts',
    'a/wick-lamp.ts',
    'lamp.ts',
    'wick/lamp.md',
  ];
  expect(pathsContaining(paths, ['lamp', 'wick'], 9)).toEqual([
    ...['a/b/c/d/Lamp-Wick.ts', 'a/wick-lamp.ts', 'a/b/my-lamp-wick.ts', 'lamp/wick.ts', 'wick/lamp.md'],
  ]);
  expect(pathsContaining(paths, ['lamp', 'wick'], 2)).toEqual(['a/b/c/d/Lamp-Wick.ts', 'a/wick-lamp.ts']);
  expect(pathsContaining(paths, ['bulb'], 9)).toEqual([]);
  expect(pathsContaining(['ab', 'b'], [], 9)).toEqual(['b', 'ab']);
});
