import { expect, it } from 'vitest';
import { RelatedWords } from './related-words.js';

const of = (stem: string, ...lines: readonly string[]) => new RelatedWords(() => lines.join('\n')).of(stem);
const same = (stem: string) => ({ stem, weight: 0.4, isSame: true });
const near = (stem: string) => ({ stem, weight: 0.2, isSame: false });

it('a word of the same sense counts 0.4 of the word, one a step further 0.2', () => {
  expect(of('car', 'car auto,machine vehicle,wagons')).toEqual([
    same('auto'),
    same('machin'),
    near('vehicl'),
    near('wagon'),
  ]);
});

it.each([
  ['car auto', [same('auto')]],
  ['car  vehicle', [near('vehicl')]],
  ['car ', []],
  ['car', []],
  [' auto vehicle', []],
  ['', []],
  ['cart auto', []],
])('the line %j tells of a car %j', (line, expected) => {
  expect(of('car', line)).toEqual(expected);
});

it('a line without a word of its own tells of no word', () => {
  expect(of('', ' auto vehicle', 'car auto')).toEqual([]);
});

it('of several words with one stem, the most common counts', () => {
  expect(of('car', 'cars autos', 'car wagon')).toEqual([same('auto')]);
});

it('the words are read when they are first needed, and once', () => {
  let reads = 0;
  const related = new RelatedWords(() => {
    reads += 1;
    return 'car auto';
  });
  expect(reads).toBe(0);
  related.of('car');
  related.of('boat');
  expect(reads).toBe(1);
});
