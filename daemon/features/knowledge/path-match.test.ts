import { expect, it } from 'vitest';
import { bestPaths } from './path-match.js';

const PATHS = ['README.md', 'docs/dusk.md', 'dusk/notes.md', 'src/dusk.ts', 'src/is-dusk.ts', 'src/lamp.ts'];

it('puts names that begin so first, then names, then paths, then letters in this order', () => {
  expect(bestPaths(PATHS, 'Dusk', 9)).toEqual(['src/dusk.ts', 'docs/dusk.md', 'src/is-dusk.ts', 'dusk/notes.md']);
  expect(bestPaths(PATHS, 'slmp', 9)).toEqual(['src/lamp.ts']);
  expect(bestPaths(PATHS, 'src/d', 1)).toEqual(['src/dusk.ts']);
});

it('gives the shortest ones for no words, and nothing for words of no path', () => {
  expect(bestPaths(PATHS, ' ', 2)).toEqual(['README.md', 'src/dusk.ts']);
  expect(bestPaths(PATHS, 'zz', 9)).toEqual([]);
});
