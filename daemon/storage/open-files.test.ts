import { expect, it } from 'vitest';
import { connectionLimits } from './open-files.js';

const limits = (files: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files}                 ${files}                files\n`;

it.each([
  ['20000', 10_000, 5_000],
  ['unlimited', 10_000, 5_000],
  ['1024', 819, 256],
  ['128', 64, 32],
  ['32', 16, 8],
])('leaves the daemon files of its own when it may open %s, and others a quarter', (files, total, foreign) => {
  expect(connectionLimits(limits(files))).toEqual({ total, foreign });
});

it('is the most where the system does not tell', () => {
  expect(connectionLimits('')).toEqual({ total: 10_000, foreign: 5_000 });
});
