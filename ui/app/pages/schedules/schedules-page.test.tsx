// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../../testing/drawn.js';
import { SchedulesPage } from './schedules-page.js';

removeAfterEach();

it('marks the run as seen that went without an answer', async () => {
  const run = {
    ...{ run: 'run-1', cause: 'time', due_at: '2026-11-27T09:00:00Z', times: 1, state: 'refused', conv: null },
    ...{ at: '2026-11-27T09:00:00Z', outcome: null, code: 'overlap', reason: 'Busy.', denied: 0 },
  };
  const schedule = {
    ...{ id: 'sched-1', title: 'Lamps', member: 'developer', text: 'Lamps', cron: '@daily', zone: 'UTC' },
    ...{ after_task: null, paused: false, paused_reason: null, next_runs: [], last_runs: [run], needs_you: run },
  };
  const calls = stubDaemon(({ path }) =>
    path.startsWith('/schedules') ? { body: { schedules: [schedule], count: 1 } } : { status: 503, body: {} },
  );
  const page = await drawPart(<SchedulesPage />, { route: '/schedules' });
  await page.press('Mark as seen: Lamps');
  expect(calls.find(({ method }) => method === 'PATCH')).toMatchObject({
    ...{ path: '/schedules/sched-1', body: { seen: 'run-1' } },
  });
});
