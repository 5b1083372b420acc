import { expect, it } from 'vitest';
import { createSlug } from './cluster-slug.js';

it.each([
  ['Häfen & Lichter!', 'hafen-lichter'],
  ['  Ada --- Ben  ', 'ada-ben'],
  ['a_b.c/d', 'a-b-c-d'],
  ['ﬁne № 7', 'fine-no-7'],
  [`${'x'.repeat(47)} y`, 'x'.repeat(47)],
  ['x'.repeat(49), 'x'.repeat(48)],
  ['日本', 'cluster'],
  ['---', 'cluster'],
  ['', 'cluster'],
])('makes of %j %j', (name, slug) => {
  expect(createSlug(name)).toBe(slug);
});
