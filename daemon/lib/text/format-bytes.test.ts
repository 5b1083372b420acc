import { expect, it } from 'vitest';
import { formatBytes } from './format-bytes.js';

it.each([
  [812, '812 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [999_499, '999 kB'],
  [1_000_000, '1.0 MB'],
  [9_949_999, '9.9 MB'],
  [9_950_000, '10 MB'],
  [14_400, '14 kB'],
  [3_210_000, '3.2 MB'],
  [64_000_000, '64 MB'],
])('formats a size: %d', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});
