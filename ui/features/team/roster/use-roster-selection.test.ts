import { expect, it } from 'vitest';
import { findRange } from './use-roster-selection.js';

it('a range goes from the last selected row to this one, in either direction', () => {
  const ids = ['a', 'b', 'c', 'd'];
  expect(findRange(ids, 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(findRange(ids, 'd', 'b')).toEqual(['b', 'c', 'd']);
  expect(findRange(ids, undefined, 'c')).toEqual(['c']);
  // The last one is filtered out.
  expect(findRange(ids, 'z', 'c')).toEqual(['c']);
});
