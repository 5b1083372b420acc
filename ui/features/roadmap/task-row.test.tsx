// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { RoadmapTask } from '../../../daemon/contract/work/roadmap.js';
import { drawPart, removeAfterEach } from '../../testing/drawn.js';
import { TaskRow } from './task-row.js';

removeAfterEach();

it.each([
  ['open', 'Mark done ports', 'done'],
  ['done', 'Reopen ports', 'open'],
  ['blocked', 'Reopen ports', 'open'],
])('sets a task that is %s by "%s"', async (state, label, next) => {
  const states: string[] = [];
  const task = {
    id: 'ports',
    text: 'Document',
    member: null,
    state,
    conv: null,
    after: [],
    waits_for: [],
    check: null,
  };
  const page = await drawPart(
    <TaskRow
      task={task as unknown as RoadmapTask}
      isBusy={false}
      onState={(changed) => states.push(changed)}
      onEdit={() => undefined}
    />,
  );
  await page.press(label);
  expect(states).toEqual([next]);
});
