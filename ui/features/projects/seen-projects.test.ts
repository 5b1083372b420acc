import { expect, it } from 'vitest';
import type { RunningProject } from '../../../daemon/contract/projects.js';
import { withSeen } from './seen-projects.js';

const project = (name: string, more: Partial<RunningProject> = {}): RunningProject => ({
  name,
  root: `/home/ada/${name}`,
  address: 'http://127.0.0.1:4747',
  pid: 1,
  version: '1',
  started_at: '2026-11-21T08:00:00Z',
  current: false,
  ...more,
});

it('withSeen keeps a stopped project with the time it was last seen until it runs again', () => {
  const first = withSeen([], [project('lamp', { current: true }), project('buoy')], 0);
  expect(first.map(({ name, seenAt }) => [name, seenAt])).toEqual([
    ['buoy', undefined],
    ['lamp', undefined],
  ]);
  const second = withSeen(first, [project('lamp', { current: true })], 1_000);
  expect(second.find(({ name }) => name === 'buoy')?.seenAt).toBe(1_000);
  const third = withSeen(second, [project('lamp', { current: true })], 2_000);
  expect(third.find(({ name }) => name === 'buoy')?.seenAt).toBe(1_000);
  const again = withSeen(
    third,
    [project('lamp', { current: true }), project('buoy', { address: 'http://127.0.0.1:5000' })],
    3_000,
  );
  expect(again.find(({ name }) => name === 'buoy')).toMatchObject({
    seenAt: undefined,
    address: 'http://127.0.0.1:5000',
  });
  expect(again).toHaveLength(2);
});

it('withSeen distinguishes two projects of the same name by their root', () => {
  const both = withSeen([], [project('lamp', { root: '/srv/lamp' }), project('lamp')], 0);
  expect(both.map(({ root }) => root)).toEqual(['/home/ada/lamp', '/srv/lamp']);
});
