import { expect, it } from 'vitest';
import { withoutTrailingSlashes } from './trailing-slashes.js';

it.each([
  ['http://one.example/a//', 'http://one.example/a'],
  ['a//b', 'a//b'],
  ['///', ''],
  ['', ''],
])('%j without its trailing slashes is %j', (text, without) => {
  expect(withoutTrailingSlashes(text)).toBe(without);
});
