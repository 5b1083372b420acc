import { expect, it } from 'vitest';
import { readRequestSearch } from './request-search.js';

it('reads the state by its word on screen as well as by its name in the API', () => {
  for (const [search, status] of [
    [{ state: 'answered' }, 'done'],
    [{ state: 'needs you' }, 'needs_input'],
    [{ state: 'Working' }, 'running'],
    [{ state: 'stopped' }, 'error'],
    [{ status: 'done' }, 'done'],
    [{ status: 'queued', state: 'answered' }, 'queued'],
  ] as const)
    expect(readRequestSearch(search)).toMatchObject({ filters: { status }, unknown: [] });
});

it('returns filters without a known value apart, and filters by none of them', () => {
  const { filters, unknown } = readRequestSearch({
    state: 'constructor',
    since: 'year',
    kind: 'sure',
    rating: 'up',
    q: 7,
  });
  expect(filters).toMatchObject({ status: undefined, since: undefined, kind: undefined, rating: 'up', q: '7' });
  expect(unknown.map(({ key, value }) => [key, value])).toEqual([
    ['state', 'constructor'],
    ['kind', 'sure'],
    ['since', 'year'],
  ]);
  expect(unknown[1]?.known).toEqual(['found', 'likely', 'none', 'answered']);
  expect(unknown[2]?.known).toEqual(['hour', 'day', 'week']);
});
