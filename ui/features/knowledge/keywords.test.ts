import { expect, it } from 'vitest';
import { isKeyword } from './keywords.js';

it.each([
  ['src/a.ts', 'const', true],
  ['src/a.TSX', 'return', true],
  ['src/a.ts', 'match', false],
  ['src/a.ts', 'from', false],
  ['src/a.rs', 'match', true],
  ['src/a.py', 'from', true],
  ['src/a.py', 'const', false],
  ['Makefile', 'const', false],
  ['src/a.unknown', 'return', false],
])('in %s the word %s is reserved: %s', (path, word, expected) => {
  expect(isKeyword(path, word)).toBe(expected);
});
