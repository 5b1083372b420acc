import { describe, expect, it } from 'vitest';
import { unit, unitWithout, VectorSpace, wholeNumbers } from './vector-space.js';

const vector = (...values: readonly number[]) => Float32Array.from(values);
const values = (of: Float32Array | undefined) => of && [...of].map((value) => Number(value.toFixed(5)));

const ONE = expect.closeTo(1, 6);

/** How near slot `slot` is to the direction of `query`. */
const similarity = (space: VectorSpace, slot: number, ...query: readonly number[]) =>
  space.similarity(slot, wholeNumbers(unit(vector(...query)) as Float32Array));

describe('a vector of a space', () => {
  it('is compared by its direction, whatever its length', () => {
    const space = new VectorSpace(3);
    space.put(0, vector(300, 400, 0));
    space.put(1, vector(-0.003, -0.004, 0));
    space.put(2, vector(0, 0, 5));
    expect([0, 1, 2].map((slot) => similarity(space, slot, 3, 4, 0))).toEqual([
      expect.closeTo(1, 3),
      expect.closeTo(-1, 3),
      0,
    ]);
    expect(similarity(space, 0, 1, 0, 0)).toBeCloseTo(0.6, 2);
  });

  it.each([
    ['of no length', vector(0, 0)],
    ['that is endless', vector(1, Number.POSITIVE_INFINITY)],
    ['of no numbers', vector(Number.NaN, 1)],
  ])('%s is ignored', (_name, broken) => {
    const space = new VectorSpace(2);
    space.put(0, vector(3, 4));
    space.put(0, broken);
    space.put(1, broken);
    expect([space.has(0), space.has(1), space.size]).toEqual([true, false, 1]);
    expect(similarity(space, 0, 3, 4)).toBeCloseTo(1, 3);
  });

  it('is replaced and removed, and counts once', () => {
    const space = new VectorSpace(2);
    space.put(0, vector(1, 0));
    space.put(0, vector(0, 1));
    space.put(5, vector(1, 1));
    expect([space.size, similarity(space, 0, 0, 1)]).toEqual([2, ONE]);
    space.remove(0);
    space.remove(0);
    space.remove(99);
    expect([space.size, space.has(0), similarity(space, 0, 0, 1)]).toEqual([1, false, 0]);
    space.put(0, vector(1, 0));
    expect([space.size, similarity(space, 0, 1, 0)]).toEqual([2, ONE]);
  });

  it.each([1_023, 1_024, 1_535, 1_536, 9_000])('has room in slot %i, beside those before it', (slot) => {
    const space = new VectorSpace(2);
    space.put(0, vector(1, 0));
    space.put(slot, vector(0, 1));
    expect([space.has(0), space.has(slot), space.has(slot + 1), space.size]).toEqual([true, true, false, 2]);
    expect([similarity(space, 0, 1, 0), similarity(space, slot, 0, 1)]).toEqual([ONE, ONE]);
  });

  it('is near to itself and far from its opposite', () => {
    const space = new VectorSpace(4);
    space.put(0, vector(1, 2, -3, 4));
    space.put(1, vector(-1, -2, 3, -4));
    const close = new Uint32Array(4);
    const { apart, count } = space.within(vector(1, 2, -3, 4), 10, close);
    expect([count, close[0], apart[0]]).toEqual([1, 0, 0]);
    expect(apart[1]).toBeGreaterThan(230);
  });
});

describe('a vector of length 1', () => {
  it('has the direction of another', () => {
    expect(values(unit(vector(3, -4)))).toEqual([0.6, -0.8]);
  });

  it('is none of a vector without a length or without numbers', () => {
    expect(unit(vector(0, 0))).toBeUndefined();
    expect(unit(vector())).toBeUndefined();
    expect(unit(vector(Number.NaN, 1))).toBeUndefined();
    expect(unit(vector(Number.POSITIVE_INFINITY, 1))).toBeUndefined();
  });

  it('is what remains without the common part', () => {
    expect(values(unitWithout(vector(6, 8), vector(0.6, 0)))).toEqual([0, 1]);
    expect(values(unitWithout(vector(6, 8), vector(0.3, 0.4)))).toEqual([0.6, 0.8]);
    expect(values(unitWithout(vector(0, 5), vector(-1, 0)))).toEqual(values(vector(Math.SQRT1_2, Math.SQRT1_2)));
    expect(unitWithout(vector(2, 0), vector(1, 0))).toBeUndefined();
    expect(unitWithout(vector(0, 0), vector(1, 0))).toBeUndefined();
  });

  it('is compared in steps of 1/4096', () => {
    expect([...wholeNumbers(vector(1, -0.5, 0.0002, 0.0001))]).toEqual([4_096, -2_048, 1, 0]);
  });
});
