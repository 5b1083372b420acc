import { expect, it } from 'vitest';
import { PAGE_ROWS, readPages, toQuery } from './pages.js';

/** Reads up to `limit` of `count` rows. Returns the sizes and cursors that were asked for too. */
async function read(count: number, limit: number) {
  const asked: [size: number, cursor: string | null][] = [];
  const { rows, next_cursor } = await readPages(limit, async (size, cursor) => {
    asked.push([size, cursor]);
    const from = Number(cursor ?? 0);
    const to = Math.min(count, from + size);
    const page = Array.from({ length: to - from }, (_, index) => from + index);
    return { rows: page, next_cursor: to < count ? String(to) : null };
  });
  expect(rows).toEqual(rows.map((_, index) => index));
  return { asked, count: rows.length, next_cursor };
}

it.each([
  [0, 50, [[50, null]], 0, null],
  [50, 50, [[50, null]], 50, null],
  [51, 50, [[50, null]], 50, '50'],
  [200, 500, [[PAGE_ROWS, null]], 200, null],
  [
    500,
    201,
    [
      [PAGE_ROWS, null],
      [1, '200'],
    ],
    201,
    '201',
  ],
  [
    450,
    1000,
    [
      [PAGE_ROWS, null],
      [PAGE_ROWS, '200'],
      [PAGE_ROWS, '400'],
    ],
    450,
    null,
  ],
] as const)('of %d rows reads %d in pages', async (count, limit, asked, got, next) => {
  expect(await read(count, limit)).toEqual({ asked, count: got, next_cursor: next });
});

it('puts what has a value into a query, in order', () => {
  expect(String(toQuery({ b: 'x y', a: 3, none: undefined, no: null, empty: '', cursor: '1&2' }))).toBe(
    'b=x+y&a=3&cursor=1%262',
  );
});
