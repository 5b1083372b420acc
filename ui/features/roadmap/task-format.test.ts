import { describe, expect, it } from 'vitest';
import type { RoadmapTask } from '../../../daemon/contract/work/roadmap.js';
import { formatTaskProgress, groupByHeading } from './task-format.js';

const tasks = (...states: RoadmapTask['state'][]) =>
  states.map(
    (state, line): RoadmapTask => ({
      id: `t${line}`,
      text: '',
      member: null,
      state,
      reason: null,
      after: [],
      waits_for: [],
      check: null,
      line,
      heading: null,
      conv: null,
      step: null,
      attempt: null,
    }),
  );

describe('formatTaskProgress', () => {
  it('counts the done tasks, and the blocked and running ones if there are any', () => {
    expect(formatTaskProgress(tasks('done', 'open'))).toBe('1 of 2 done');
    expect(formatTaskProgress(tasks('done', 'blocked', 'running', 'running'))).toBe(
      '1 of 4 done, 1 blocked, 2 running',
    );
  });
});

it('groupByHeading splits the tasks where the heading changes and keeps their order', () => {
  const [a, b, c, d] = tasks('open', 'open', 'open', 'open') as [RoadmapTask, RoadmapTask, RoadmapTask, RoadmapTask];
  const all = [a, { ...b, heading: 'Soon' }, { ...c, heading: 'Soon' }, d];
  expect(groupByHeading(all).map(({ heading, tasks: of }) => [heading, of.map(({ id }) => id)])).toEqual([
    [null, ['t0']],
    ['Soon', ['t1', 't2']],
    [null, ['t3']],
  ]);
});
