import { expect, it } from 'vitest';
import { addRange, type SeqRanges } from './seq-ranges.js';

it.each<[title: string, ranges: SeqRanges, first: number, last: number, expected: SeqRanges]>([
  ['nothing is added when the first is after the last', [[1, 2]], 4, 3, [[1, 2]]],
  ['a single number is a range', [], 4, 4, [[4, 4]]],
  [
    'a range after the others comes last',
    [[1, 2]],
    4,
    5,
    [
      [1, 2],
      [4, 5],
    ],
  ],
  [
    'a range before the others comes first',
    [[10, 12]],
    2,
    3,
    [
      [2, 3],
      [10, 12],
    ],
  ],
  [
    'ranges are in the order of numbers',
    [
      [2, 3],
      [10, 12],
    ],
    5,
    6,
    [
      [2, 3],
      [5, 6],
      [10, 12],
    ],
  ],
  ['the next number joins', [[1, 2]], 3, 4, [[1, 4]]],
  ['the number before joins', [[3, 4]], 1, 2, [[1, 4]]],
  ['ranges that overlap are one', [[1, 5]], 3, 8, [[1, 8]]],
  ['a range within another changes nothing', [[1, 9]], 3, 4, [[1, 9]]],
  [
    'a range around others takes their place',
    [
      [2, 3],
      [5, 6],
    ],
    1,
    9,
    [[1, 9]],
  ],
  [
    'a range between two joins both',
    [
      [1, 2],
      [5, 6],
    ],
    3,
    4,
    [[1, 6]],
  ],
])('%s', (_title, ranges, first, last, expected) => {
  expect(addRange(ranges, first, last)).toEqual(expected);
});

it('leaves the given ranges as they were', () => {
  const ranges: SeqRanges = [[1, 2]];
  addRange(ranges, 3, 4);
  expect(ranges).toEqual([[1, 2]]);
});
