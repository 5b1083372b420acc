import { expect, it } from 'vitest';
import type { Member } from '../../../../daemon/contract/team.js';
import type { RosterEntry } from './roster-entry.js';
import { findCommonModel, nextSort, SORT_KEYS, sortRoster } from './roster-sort.js';

const entry = (
  id: string,
  more: Partial<RosterEntry> = {},
  fields: Partial<RosterEntry['member']> = {},
): RosterEntry => ({
  file: 'ok',
  ...more,
  member: {
    ...{ id, name: id, state: 'ok', exposure: 'internal', serving: true, model: 'opus', model_resolved: 'opus' },
    ...fields,
  } as Member,
});

const ENTRIES = [
  entry('pilot', { usedAt: '2026-11-27T10:00:00Z' }, { model_resolved: 'opus' }),
  entry('anchor', { file: 'changed' }, { exposure: 'external', model_resolved: 'haiku' }),
  entry('consultant', { usedAt: '2026-11-27T12:00:00Z', isWorking: true }, { model_resolved: 'opus' }),
  entry('buoy', { file: 'broken' }, { state: 'broken', model_resolved: 'haiku' }),
];
const order = (sort: Parameters<typeof sortRoster>[1]) => sortRoster(ENTRIES, sort).map(({ member: { id } }) => id);

it('without an order the consultant is first, and the others keep the order of the roster', () => {
  expect(order(undefined)).toEqual(['consultant', 'pilot', 'anchor', 'buoy']);
});

it.each([
  ['name', ['anchor', 'buoy', 'consultant', 'pilot'], ['pilot', 'consultant', 'buoy', 'anchor']],
  ['model', ['pilot', 'consultant', 'anchor', 'buoy'], ['anchor', 'buoy', 'pilot', 'consultant']],
  ['state', ['buoy', 'consultant', 'anchor', 'pilot'], ['pilot', 'anchor', 'consultant', 'buoy']],
  ['used', ['consultant', 'pilot', 'anchor', 'buoy'], ['pilot', 'consultant', 'anchor', 'buoy']],
  ['file', ['buoy', 'anchor', 'pilot', 'consultant'], ['pilot', 'consultant', 'anchor', 'buoy']],
] as const)('sorts by %s in both directions', (key, forward, reverse) => {
  expect(order(key)).toEqual(forward);
  expect(order(`-${key}`)).toEqual(reverse);
});

it('a column sorts, then reverses, then gives the own order back', () => {
  for (const key of SORT_KEYS) {
    expect(nextSort(undefined, key)).toBe(key);
    expect(nextSort(key, key)).toBe(`-${key}`);
    expect(nextSort(`-${key}`, key)).toBeUndefined();
  }
  expect(nextSort('-name', 'used')).toBe('used');
});

it('a model that all members have is found; members that cannot run have none', () => {
  const [pilot, anchor, consultant] = ENTRIES.map((one) => one.member);
  if (!pilot || !anchor || !consultant) throw new Error('There are four.');
  expect(findCommonModel([pilot, consultant])).toMatch(/opus/);
  expect(findCommonModel([pilot, anchor])).toBeUndefined();
  expect(findCommonModel([pilot, { ...anchor, serving: false }])).toMatch(/opus/);
  expect(findCommonModel([])).toBeUndefined();
});
