import { describe, expect, it } from 'vitest';
import type { RoadmapTask } from '../../../daemon/contract/roadmap.js';
import { formatTaskProgress } from './task-format.js';

const tasks = (...states: RoadmapTask['state'][]) =>
  states.map(
    (state, line): RoadmapTask => ({ id: `t${line}`, text: '', member: null, state, reason: null, line, conv: null }),
  );

describe('formatTaskProgress', () => {
  it('counts the done tasks, and the blocked and running ones if there are any', () => {
    expect(formatTaskProgress(tasks('done', 'open'))).toBe('1 of 2 done');
    expect(formatTaskProgress(tasks('done', 'blocked', 'running', 'running'))).toBe(
      '1 of 4 done, 1 blocked, 2 running',
    );
  });
});
