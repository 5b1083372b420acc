import { expect, it } from 'vitest';
import { maxConnections } from './open-files.js';

const limits = (files: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files}                 ${files}                files\n`;

it.each([
  ['20000', 10_000],
  ['unlimited', 10_000],
  ['1024', 819],
  ['128', 64],
  ['32', 16],
])('leaves the daemon files of its own when it may open %s', (files, connections) => {
  expect(maxConnections(limits(files))).toBe(connections);
});

it('is the most where the system does not tell', () => {
  expect(maxConnections('')).toBe(10_000);
});
