import { expect, it } from 'vitest';
import { expectedRevision } from './if-match.js';

it.each([
  [undefined, undefined],
  ['', undefined],
  [' ', undefined],
  ['*', undefined],
  [' * ', undefined],
  ['abc', 'abc'],
  ['"abc"', 'abc'],
  [' "abc" ', 'abc'],
  ['W/"abc"', 'abc'],
  ['W/abc', 'abc'],
  ['aW/b', 'aW/b'],
  ['a"b"', 'a"b"'],
  ['"b"a', '"b"a'],
  ['""', ''],
])('If-Match %j expects the revision %j', (header, revision) => {
  expect(expectedRevision(header)).toBe(revision);
});
