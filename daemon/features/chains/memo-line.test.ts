import { expect, it } from 'vitest';
import { memoOfLine } from './memo-line.js';

it.each([
  ['[7] nonce-1', 'nonce-1'],
  ['[2] ä', 'ä'],
  ['[3] a\nb', 'a\nb'],
  ['[12] elf [3] zehn', 'elf [3] zehn'],
  ['[0] ', ''],
])('the only memo in the line %j is %j', (line, memo) => {
  expect(memoOfLine(line)).toBe(memo);
});

it.each([null, undefined, '', '[1] ä', '[3] one; [3] two', 'x[1] a', '[1]a', '[] a', '[-1] a', 'nonce'])(
  'there is not exactly one memo in the line %j',
  (line) => {
    expect(memoOfLine(line)).toBeNull();
  },
);
