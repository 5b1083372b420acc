import { expect, it } from 'vitest';
import { bestPaths } from './path-match.js';

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
