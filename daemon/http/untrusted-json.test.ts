import { expect, it } from 'vitest';
import { parseUntrustedJson } from './untrusted-json.js';

const parse = (text: string | Buffer, values?: number) => parseUntrustedJson(Buffer.from(text), { depth: 2, values });

it('is parsed up to its depth and its number of values', () => {
  expect(parse('[{"a":"ü"}]')).toEqual([{ a: 'ü' }]);
  expect(parse('[[[]]]')).toBeUndefined();
  expect(parse('[1,2]', 3)).toEqual([1, 2]);
  expect(parse('[1,2]', 2)).toBeUndefined();
  expect(parse(`[${'1,'.repeat(50_000)}1]`)).toHaveLength(50_001);
});

it.each([
  ['no JSON', '{'],
  ['nothing', ''],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
])('is nothing where it is %s', (_, text) => {
  expect(parse(text)).toBeUndefined();
});
