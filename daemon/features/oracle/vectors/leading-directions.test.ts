import { describe, expect, it } from 'vitest';
import type { WordPairs } from '../text/word-pairs.js';
import { leadingDirections } from './leading-directions.js';

type Matrix = readonly (readonly number[])[];

function pairsOf(matrix: Matrix): WordPairs {
  const starts = Uint32Array.from({ length: matrix.length + 1 }, (_, row) => row * matrix.length);
  return {
    terms: Int32Array.from(matrix.keys()),
    starts,
    partners: Uint16Array.from(matrix.flatMap((row) => [...row.keys()])),
    strengths: Float32Array.from(matrix.flat()),
  };
}

/** The vectors of the rows of `matrix`, and how often the work gave way to others. */
function directionsOf(matrix: Matrix, dimensions: number) {
  const run = leadingDirections(pairsOf(matrix), dimensions);
  for (let steps = 0; ; steps += 1) {
    const { done, value } = run.next();
    if (!done) continue;
    const vectors = matrix.map((_, row) => [...value.subarray(row * dimensions, (row + 1) * dimensions)]);
    return { vectors, steps };
  }
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
const products = (vectors: Matrix): number[][] => vectors.map((a) => vectors.map((b) => dot(a, b)));
const columns = (matrix: Matrix): number[][] =>
  (matrix[0] as readonly number[]).map((_, at) => matrix.map((row) => row[at] as number));

/** A symmetric matrix of numbers from -1 to 1. */
function aMatrix(size: number): number[][] {
  const value = (one: number, other: number) =>
    Math.sin(1 + 3 * Math.min(one, other) + 7 * one * other + Math.max(one, other));
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => value(row, column)));
}

function expectClose(matrix: Matrix, expected: Matrix, digits: number): void {
  matrix.forEach((row, one) => {
    row.forEach((value, other) => {
      expect(value).toBeCloseTo(expected[one]?.[other] as number, digits);
    });
  });
}

describe('the leading directions', () => {
  it('of as many dimensions as rows reproduce a matrix whose values are squares', () => {
    const matrix = products(aMatrix(9));
    expectClose(products(directionsOf(matrix, 9).vectors), matrix, 4);
  });

  it('are those of a matrix with opposites too, by the size of its values', () => {
    const matrix = aMatrix(9);
    expectClose(products(products(directionsOf(matrix, 9).vectors)), products(matrix), 4);
  });

  it('are at right angles, so that each holds what no other does', () => {
    const across = products(columns(directionsOf(aMatrix(9), 9).vectors));
    across.forEach((row, one) => {
      row.forEach((value, other) => {
        if (one !== other) expect(value).toBeCloseTo(0, 4);
        else expect(value).toBeGreaterThan(0.01);
      });
    });
  });

  it('keep what counts the most when there are fewer of them', () => {
    const strong = [1, 2, -1, 0, 3, 1];
    const weaker = [0, 1, 1, 2, -1, 2];
    const weak = strong.map((_, at) => 0.01 * Math.cos(at));
    const sumOf = (...parts: Matrix) =>
      strong.map((_, one) =>
        strong.map((_, other) => parts.reduce((sum, part) => sum + (part[one] as number) * (part[other] as number), 0)),
      );
    expectClose(products(directionsOf(sumOf(strong, weaker, weak), 2).vectors), sumOf(strong, weaker), 1);
    expectClose(products(directionsOf(sumOf(strong, weaker, weak), 3).vectors), sumOf(strong, weaker, weak), 4);
  });

  it('of a matrix without strengths are none, rather than no numbers', () => {
    const nothing = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
    expect(directionsOf(nothing, 2).vectors.flat().map(Math.abs)).toEqual(Array(8).fill(0));
  });

  it('are the same in every process, also where they are not yet exact', () => {
    expect(directionsOf(aMatrix(30), 3).vectors.slice(0, 3)).toEqual(
      [
        [0.254672, -0.262974, 0.244835],
        [-0.20935, -0.082819, 0.185309],
        [0.418464, -0.016973, -0.071825],
      ].map((vector) => vector.map((value) => expect.closeTo(value, 4))),
    );
  });
});

it('the work gives way to others between a few rows and a few columns', () => {
  // Five times: making 32 columns of 100 rows orthonormal, which pauses for each column, for the first 16 before it, and
  // twice while they are laid out. Then five products, two passes over all rows, and six over the 32 columns.
  expect(directionsOf(aMatrix(100), 32).steps).toBe(5 * (2 + 16 + 32) + 5 + 2 + 2 + 6 * 32);
});
