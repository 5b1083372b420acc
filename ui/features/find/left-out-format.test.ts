import { describe, expect, it } from 'vitest';
import { leftOut } from './left-out-format.js';

describe('leftOut', () => {
  it('lists each filter with its count, the largest first, and the search without it', () => {
    const search = { q: 'paint', price: 0.01, tags: 'art, oil' };
    const found = leftOut({ filtered: { online_only: 2, max_price: 12, tags: 1 }, unfilterable: [] }, search);
    expect(found.map(({ said: message, loosen }) => [message, loosen])).toEqual([
      ['12 agents excluded: price above $0.01', 'Any price'],
      ['2 agents excluded: offline', 'Include offline agents'],
      ['1 agent excluded: without all the tags “art, oil”', 'Any tags'],
    ]);
    expect(found[0]?.without).toEqual({ ...search, price: undefined });
    expect(found[1]?.without).toEqual({ ...search, online: 'any' });
  });

  it('explains why a filter could not be applied', () => {
    const unfilterable = [
      { constraint: 'max_price', reason: 'no_lamports_rate', dropped: 3 },
      { constraint: 'country', reason: 'no_country', dropped: 1 },
      { constraint: 'country', reason: 'a_new_reason', dropped: 1 },
    ];
    expect(leftOut({ unfilterable }, { price: 1, country: 'NO' }).map(({ said: message }) => message)).toEqual([
      '3 agents excluded: not comparable, priced in lamports, which have no rate here (MESHD_LAMPORTS_USD)',
      '1 agent excluded: without a country',
      '1 agent excluded: not comparable (a_new_reason)',
    ]);
  });

  it('ignores filters that excluded nothing and unknown filters', () => {
    expect(
      leftOut(
        { filtered: { tags: 0, moon_phase: 4 }, unfilterable: [{ constraint: 'toString', reason: 'x', dropped: 2 }] },
        {},
      ),
    ).toEqual([]);
  });
});
