import type { Schedule, ScheduleRun } from '../../../../daemon/contract/work/schedules.js';
import rows from '../../../components/rows.module.css';
import ScheduleNeed from '../../../features/schedules/schedule-need.js';
import { ScheduleRow } from '../../../features/schedules/schedule-row.js';
import { isoAgo } from '../../samples.js';
import type { Story } from '../../story.js';

const run = (changes: Partial<ScheduleRun> = {}): ScheduleRun => ({
  ...{ run: 'run-1', cause: 'time', due_at: isoAgo(7_200), times: 1, state: 'ended', at: isoAgo(7_200) },
  ...{ conv: 'conv-1', outcome: 'answered', code: null, reason: null, denied: 0 },
  ...changes,
});

const refused = run({
  ...{ run: 'run-2', state: 'refused', outcome: null, conv: null },
  ...{ code: 'no_working_client', reason: 'No model is connected.' },
});

const schedule = (changes: Partial<Schedule> = {}): Schedule => ({
  ...{ id: 'sched-1', title: 'Look at the lamps', member: 'developer', text: 'Look at the lamps' },
  ...{ cron: '0 9 * * 1-5', zone: 'Europe/Berlin', after_task: null, missed: 'once', permission_minutes: 10 },
  ...{ paused: false, paused_reason: null },
  next_runs: [{ at: isoAgo(-7_200), local: 'Mon 2026-11-30 09:00', offset: '+01:00' }],
  ...{ last_runs: [run()], needs_you: null, created_at: isoAgo(90_000), updated_at: isoAgo(90_000) },
  ...changes,
});

const nothing = () => undefined;
const row = (changes: Partial<Schedule>, isShown = false) => (
  <ScheduleRow
    schedule={schedule(changes)}
    isShown={isShown}
    isBusy={false}
    {...{ onShow: nothing, onRun: nothing, onPause: nothing, onEdit: nothing, onDelete: nothing, onSeen: nothing }}
  />
);

export const story: Story = {
  title: 'Schedule rows',
  states: {
    rows: (
      <ul className={rows.rows} aria-label="Schedules">
        {row(
          {
            last_runs: [
              run({ run: 'run-3', state: 'running', outcome: null }),
              run({ run: 'run-4', denied: 1, cause: 'missed', times: 3 }),
              run({ run: 'run-5', state: 'skipped', code: 'overlap', outcome: null, conv: null }),
            ],
          },
          true,
        )}
        {row({
          id: 'sched-2',
          title: 'Release',
          text: 'Release the lamp',
          cron: null,
          zone: null,
          after_task: 'build',
          next_runs: [],
          last_runs: [],
        })}
        {row({
          id: 'sched-3',
          title: 'Sweep',
          paused: true,
          paused_reason: 'There is no member `sweeper` any more.',
          next_runs: [],
        })}
        {row({ id: 'sched-4', title: 'Nightly', last_runs: [refused], needs_you: refused })}
      </ul>
    ),
    'on the home page': (
      <ul className={rows.rows} aria-label="Needs you">
        <ScheduleNeed schedule={schedule({ needs_you: refused })} run={refused} />
      </ul>
    ),
  },
};
