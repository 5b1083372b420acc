import { expect, it } from 'vitest';
import { rowBefore } from './boards-cursor.js';

it.each([
  [undefined, Number.MAX_SAFE_INTEGER],
  ['1', 1],
  ['9', 9],
  ['10', 10],
  ['999999999999999', 999_999_999_999_999],
])('a page with the cursor %j begins before row %i', (cursor, row) => {
  expect(rowBefore(cursor)).toBe(row);
});

it.each(['', '0', '01', '-1', '1.5', '1 ', ' 1', '1\n', 'x', 'x1', '1x', '1e3', '١', '1000000000000000'])(
  'rejects the cursor %j',
  (cursor) => {
    expect(() => rowBefore(cursor)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: '"cursor" must be one that a page before has given.',
        details: { path: 'cursor' },
      }),
    );
  },
);
