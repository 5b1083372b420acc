import type { RoadmapTask } from '../../../daemon/contract/roadmap.js';

/** Formats as `2 of 5 done, 1 blocked, 1 running`. */
export function formatTaskProgress(tasks: readonly RoadmapTask[]): string {
  const count = (state: RoadmapTask['state']) => tasks.filter((task) => task.state === state).length;
  const [blocked, running] = [count('blocked'), count('running')];
  return [
    `${count('done')} of ${tasks.length} done`,
    blocked > 0 && `${blocked} blocked`,
    running > 0 && `${running} running`,
  ]
    .filter(Boolean)
    .join(', ');
}
