import { describe, expect, it } from 'vitest';
import { DotProducts } from './dot-products.js';

const aRow = (slot: number, dimensions: number) =>
  Int8Array.from({ length: dimensions }, (_, at) => (slot * 31 + at * 17) % 127);
const aQuery = (dimensions: number) => Int16Array.from({ length: dimensions }, (_, at) => 4_096 - at * 83);
const product = (row: Int8Array, query: Int16Array) =>
  row.reduce((sum, value, at) => sum + value * (query[at] as number), 0);

describe.each([1, 2, 7, 8, 9, 100, 128, 385])('products of %i dimensions', (dimensions) => {
  it('are those of every row with the query, however many rows there are', () => {
    const rows = Array.from({ length: 1_500 }, (_, slot) => aRow(slot, dimensions));
    const products = new DotProducts(dimensions);
    rows.forEach((row, slot) => void products.row(slot).set(row));
    const query = aQuery(dimensions);
    expect(rows.map((_, slot) => products.of(slot, query))).toEqual(rows.map((row) => product(row, query)));
  });
});

it('negative numbers count as such', () => {
  const products = new DotProducts(3);
  products.row(0).set([-127, 127, -1]);
  expect(products.of(0, Int16Array.from([4_096, -4_096, -5]))).toBe(-2 * 127 * 4_096 + 5);
});

it('another query replaces the one before it, also a shorter one', () => {
  const products = new DotProducts(4);
  products.row(0).set([1, 2, 3, 4]);
  expect(products.of(0, Int16Array.from([1, 1, 1, 1]))).toBe(10);
  expect(products.of(0, Int16Array.from([5, 0]))).toBe(5);
});

it.each([8_190, 8_191, 20_000])('a row far beyond the others, %i, has room', (slot) => {
  const products = new DotProducts(8);
  products.row(0).set([1, 1, 1, 1, 1, 1, 1, 1]);
  products.row(slot).set([2, 2, 2, 2, 2, 2, 2, 2]);
  const query = Int16Array.from([1, 1, 1, 1, 1, 1, 1, 1]);
  expect([products.of(0, query), products.of(slot, query)]).toEqual([8, 16]);
});
