import { expect, it } from 'vitest';
import { formatBytes } from './format-bytes.js';

it.each([
  [812, '812 B'],
  [14_400, '14 kB'],
  [3_210_000, '3.2 MB'],
  [64_000_000, '64 MB'],
])('formats a size: %d', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});
