import type { RoadmapTask } from '../../../../daemon/contract/work/roadmap.js';
import rows from '../../../components/rows.module.css';
import RoadmapBoard from '../../../features/roadmap/board/roadmap-board.js';
import { TaskRow } from '../../../features/roadmap/task-row.js';
import type { Story } from '../../story.js';

const task = (id: string, state: RoadmapTask['state'], changes: Partial<RoadmapTask> = {}): RoadmapTask => ({
  ...{ id, state, text: 'Dim the lamp before midnight', member: 'developer', reason: null, after: [], waits_for: [] },
  ...{ check: null, line: 4, heading: null, conv: null, step: null, attempt: null },
  ...changes,
});

const TASKS = [
  task('T1', 'open', { member: null }),
  task('T2', 'running', { conv: 'conv-1', step: 'checking', attempt: 2 }),
  task('T3', 'blocked', { reason: 'It asked for a token and nobody answered.', conv: 'conv-1' }),
  task('T4', 'done', { text: 'Dim'.repeat(40) }),
];

export const story: Story = {
  title: 'Task rows',
  states: {
    rows: (
      <ul className={rows.rows} aria-label="Tasks">
        {TASKS.map((one) => (
          <TaskRow key={one.id} task={one} isBusy={false} onState={() => undefined} onEdit={() => undefined} />
        ))}
      </ul>
    ),
    board: <RoadmapBoard tasks={TASKS} busy={undefined} onState={() => undefined} onEdit={() => undefined} />,
  },
};
