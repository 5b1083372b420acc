import { expect, it } from 'vitest';
import { EmbeddedSpace } from './embedded-space.js';
import { wholeNumbers } from './vector-space.js';

const vector = (...values: readonly number[]) => Float32Array.from(values);
const bearing = (space: EmbeddedSpace, ...values: readonly number[]) => {
  const found = space.bearing(vector(...values))?.vector;
  return found && [...found].map((value) => Number(value.toFixed(4)));
};
/** Vectors that all point the same way, however long they are. */
const sample = (count: number) => Array.from({ length: count }, (_, at) => vector(0, 1 + at));

it('what all vectors of a sample have in common tells nothing', () => {
  expect(bearing(new EmbeddedSpace(2, sample(50)), 3, 4)).toEqual([0.9487, -0.3162]);
  expect(bearing(new EmbeddedSpace(2, sample(64)), 0, 4)).toBeUndefined();
});

it('a vector of no length in the sample counts as none', () => {
  expect(bearing(new EmbeddedSpace(2, [...sample(50), ...Array(50).fill(vector(0, 0))]), 3, 4)).toEqual([
    0.8944, 0.4472,
  ]);
});

it('a sample of fewer than fifty vectors has only its own topic in common', () => {
  expect(bearing(new EmbeddedSpace(2, sample(49)), 3, 4)).toEqual([0.6, 0.8]);
});

it('a vector of another length has no place in the space', () => {
  const space = new EmbeddedSpace(2, []);
  expect([bearing(space, 3), bearing(space, 3, 4, 0), bearing(space, 0, 0)]).toEqual([undefined, undefined, undefined]);
});

it('a row and a query are compared without the common part', () => {
  const space = new EmbeddedSpace(2, sample(64));
  space.put(3, vector(3, 4));
  space.put(4, vector(-3, 4));
  space.put(5, vector(0, 4));
  const found = space.bearing(vector(6, 8));
  const pointing = wholeNumbers(found?.vector as Float32Array);
  expect([3, 4, 5].map((slot) => found?.space.similarity(slot, pointing))).toEqual([
    expect.closeTo(1, 2),
    expect.closeTo(-0.8, 2),
    0,
  ]);
  expect([space.size, space.has(3), space.has(5)]).toEqual([2, true, false]);
  space.remove(3);
  expect([space.size, space.has(3)]).toEqual([1, false]);
});
