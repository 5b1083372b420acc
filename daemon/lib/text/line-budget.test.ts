import { expect, it } from 'vitest';
import { LineBudget } from './line-budget.js';

it('admits ten lines of a kind at once, then one per second with the number of dropped lines', () => {
  let nowMs = 0;
  const budget = new LineBudget(() => nowMs);
  const take = (kind: string, times: number) => Array.from({ length: times }, () => budget.take(kind));
  expect(take('a', 12)).toEqual([...Array<number>(10).fill(0), undefined, undefined]);
  expect(take('b', 1)).toEqual([0]);
  nowMs = 500;
  expect(take('a', 1)).toEqual([undefined]);
  nowMs = 1_000;
  expect(take('a', 2)).toEqual([3, undefined]);
  nowMs = 60_000;
  expect(take('a', 11)).toEqual([1, ...Array<number>(9).fill(0), undefined]);
});

it('refills in proportion to the time', () => {
  let nowMs = 5_000;
  const budget = new LineBudget(() => nowMs);
  for (let line = 0; line < 10; line += 1) budget.take('a');
  nowMs += 600;
  expect(budget.take('a')).toBeUndefined();
  nowMs += 600;
  expect(budget.take('a')).toBe(1);
  nowMs += 799;
  expect(budget.take('a')).toBeUndefined();
  nowMs += 2;
  expect(budget.take('a')).toBe(1);
});
