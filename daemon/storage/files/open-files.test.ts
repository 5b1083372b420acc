import { expect, it } from 'vitest';
import { connectionLimits } from './open-files.js';

const limits = (files: string) =>
  'Limit                     Soft Limit           Hard Limit           Units\nMax open files            ' +
  `${files}                 ${files}                files\n`;

it.each([
  ['20000', 10_000, 5_000],
  ['unlimited', 10_000, 5_000],
  ['1024', 819, 256],
  ['128', 64, 32],
  ['32', 16, 8],
])('reserves files for the daemon when it may open %s, and gives others at most a quarter', (files, total, foreign) => {
  expect(connectionLimits(limits(files))).toEqual({ total, foreign });
});

it('uses the maximum where the system does not provide a limit', () => {
  expect(connectionLimits('')).toEqual({ total: 10_000, foreign: 5_000 });
});
