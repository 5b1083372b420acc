import { readFileSync } from 'node:fs';
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
  ['320', 256, 80],
  ['80', 16, 8],
  ['32', 16, 8],
])('reserves files for the daemon when it may open %s, and gives others at most a quarter', (files, total, foreign) => {
  expect(connectionLimits(limits(files))).toEqual({ total, foreign });
});

it('uses the maximum where the system does not provide a limit', () => {
  expect(connectionLimits('')).toEqual({ total: 10_000, foreign: 5_000 });
});

it('finds the limit of open files among others, at the beginning of a line', () => {
  const before = 'Max file locks            7                 7                locks\nXMax open files 9\n';
  expect(connectionLimits(before + limits('1024'))).toEqual({ total: 819, foreign: 256 });
});

it.runIf(process.platform === 'linux')('reads the limits of this process', () => {
  expect(connectionLimits()).toEqual(connectionLimits(readFileSync('/proc/self/limits', 'latin1')));
});
