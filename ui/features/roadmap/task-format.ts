import type { RoadmapTask } from '../../../daemon/contract/work/roadmap.js';

/** The tasks in order, split where the heading changes. */
export function groupByHeading(tasks: readonly RoadmapTask[]): { heading: string | null; tasks: RoadmapTask[] }[] {
  const groups: { heading: string | null; tasks: RoadmapTask[] }[] = [];
  for (const task of tasks) {
    const last = groups.at(-1);
    if (last?.heading === task.heading) last.tasks.push(task);
    else groups.push({ heading: task.heading, tasks: [task] });
  }
  return groups;
}

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
