import type { RoadmapTask, TaskPatch } from '../../../../daemon/contract/work/roadmap.js';

type State = RoadmapTask['state'];
/** The states that the operator gives a task. A run alone makes it running. */
export type WritableState = NonNullable<TaskPatch['state']>;

/** The columns of the board, from left to right. */
export const COLUMNS = [
  { state: 'open', name: 'Open' },
  { state: 'running', name: 'Running' },
  { state: 'done', name: 'Done' },
  { state: 'blocked', name: 'Blocked' },
] as const satisfies readonly { state: State; name: string }[];

const WRITABLE = COLUMNS.flatMap(({ state }) => (state === 'running' ? [] : [state]));

export const isWritable = (state: State): state is WritableState => state !== 'running';

/** Returns the state of the next column to the right (1) or left (-1) that a task can be moved to. */
export function findNextState(state: State, step: 1 | -1): WritableState | undefined {
  return isWritable(state) ? WRITABLE[WRITABLE.indexOf(state) + step] : undefined;
}

/**
 * Returns the id of the card that the focus goes to from `id`: the next one of its column, or, sideways, the one at the
 * same height in the next column that has any.
 */
export function findNeighbour(tasks: readonly RoadmapTask[], id: string, key: string): string | undefined {
  const columns = COLUMNS.map(({ state }) => tasks.filter((task) => task.state === state).map((task) => task.id));
  const at = columns.findIndex((ids) => ids.includes(id));
  const column = columns[at] ?? [];
  const height = column.indexOf(id);
  if (key === 'ArrowDown') return column[height + 1];
  if (key === 'ArrowUp') return column[height - 1];
  const others = key === 'ArrowRight' ? columns.slice(at + 1) : columns.slice(0, at).reverse();
  const next = others.find((ids) => ids.length > 0) ?? [];
  return next[Math.min(height, next.length - 1)];
}
