import { expect, it } from 'vitest';
import { computeRanks } from './page-rank.js';

const ranks = (...edges: [number, number][]) => computeRanks(edges.map(([file, target]) => ({ file, target })));
const rounded = (found: ReadonlyMap<number, number>) =>
  [...found].map(([file, rank]) => [file, Number(rank.toFixed(3))]);

it('ranks nothing without edges', () => {
  expect(ranks().size).toBe(0);
});

it('shares one among the files', () => {
  const total = [...ranks([1, 2], [1, 3], [3, 2], [4, 2]).values()].reduce((sum, one) => sum + one, 0);
  expect(total).toBeCloseTo(1, 9);
});

it('gives files of a ring the same', () => {
  expect(rounded(ranks([1, 2], [2, 3], [3, 1]))).toEqual([
    [1, 0.333],
    [2, 0.333],
    [3, 0.333],
  ]);
});

it('ranks what is imported above what imports it, with the usual damping', () => {
  expect(rounded(ranks([1, 2]))).toEqual([
    [1, 0.351],
    [2, 0.649],
  ]);
  expect(rounded(ranks([1, 3], [2, 3], [1, 2]))).toEqual([
    [1, 0.198],
    [3, 0.521],
    [2, 0.282],
  ]);
});
