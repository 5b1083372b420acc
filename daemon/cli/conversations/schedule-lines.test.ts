import { expect, it, vi } from 'vitest';
import type { Schedule, ScheduleRun } from '../../contract/work/schedules.js';
import { meshd } from '../../testing/processes/command-line.js';
import { standInDaemon } from '../../testing/processes/daemon-stand-in.js';

const RUN: ScheduleRun = {
  run: 'run-2',
  cause: 'time',
  due_at: '2026-11-28T09:00:00.000Z',
  times: 1,
  state: 'ended',
  at: '2026-11-28T09:00:07.000Z',
  conv: 'conv-1',
  outcome: 'answered',
  code: null,
  reason: null,
  denied: 1,
};
const REFUSED: ScheduleRun = {
  ...RUN,
  run: 'run-1',
  cause: 'missed',
  state: 'refused',
  conv: null,
  outcome: null,
  code: 'no_working_client',
  reason: 'No client works.',
  denied: 0,
};
const TIMED: Schedule = {
  id: 'sched-1',
  title: 'Lamps',
  member: 'developer',
  text: 'Look at\nthe lamps',
  cron: '0 9 * * *',
  zone: 'Europe/Berlin',
  after_task: null,
  missed: 'all',
  permission_minutes: 10,
  paused: false,
  paused_reason: null,
  next_runs: [{ at: '2026-11-30T08:00:00.000Z', local: 'Mon 2026-11-30 09:00', offset: '+01:00' }],
  last_runs: [RUN, REFUSED],
  needs_you: RUN,
  created_at: '',
  updated_at: '',
};
const TASK: Schedule = {
  ...TIMED,
  id: 'sched-2',
  cron: null,
  zone: null,
  after_task: 'build',
  next_runs: [],
  last_runs: [],
  needs_you: null,
};
const PAUSED: Schedule = { ...TIMED, id: 'sched-3', paused: true, last_runs: [REFUSED] };

it('lists when each runs next, and how its newest run ended', async () => {
  const { root } = await standInDaemon({ 'GET /schedules': { schedules: [TIMED, TASK, PAUSED], count: 3 } });
  expect((await meshd(root, 'schedule', 'ls')).out).toBe(
    [
      'SCHEDULE  MEMBER     WHEN                       NEXT                         LAST                         TITLE',
      'sched-1   developer  0 9 * * * (Europe/Berlin)  Mon 2026-11-30 09:00 +01:00  ended, answered, 1 denied    Lamps',
      'sched-2   developer  after build                                                                          Lamps',
      'sched-3   developer  0 9 * * * (Europe/Berlin)  paused                       refused (no_working_client)  Lamps\n',
    ].join('\n'),
  );
  const none = await standInDaemon({ 'GET /schedules': { schedules: [], count: 0 } });
  expect(await meshd(none.root, 'schedule', 'ls')).toEqual({
    exit: 0,
    out: '',
    err: 'No schedules: `meshd schedule add`.\n',
  });
});

it('shows one with its times and runs', async () => {
  const { root, asked } = await standInDaemon({ 'GET /schedules/sched-1': TIMED });
  expect(await meshd(root, 'schedule', 'show', 'sched-1')).toEqual({
    exit: 0,
    out: [
      'schedule    sched-1',
      'title       Lamps',
      'member      developer',
      'text        Look at the lamps',
      'when        0 9 * * * (Europe/Berlin)',
      'missed      all',
      'permission  denied after 10 min',
      'next        Mon 2026-11-30 09:00 +01:00 (2026-11-30 08:00:00 UTC)',
      'RUN    DUE (UTC)            CAUSE   STATE                        CONVERSATION  WHY',
      'run-2  2026-11-28 09:00:00  time    ended, answered, 1 denied    conv-1',
      'run-1  2026-11-28 09:00:00  missed  refused (no_working_client)                No client works.\n',
    ].join('\n'),
    err: '',
  });
  expect(asked.map(({ line }) => line)).toEqual(['GET /schedules/sched-1']);
});

it.each([
  [null, 'by you'],
  ['Its member is gone.', 'Its member is gone.'],
])('says why a paused one is paused (%j)', async (paused_reason, why) => {
  const { root } = await standInDaemon({ 'GET /schedules/sched-3': { ...PAUSED, paused_reason } });
  expect((await meshd(root, 'schedule', 'show', 'sched-3')).out).toContain(`\npaused      ${why}\n`);
});

it('marks its newest run as seen with --seen, if there is one to see', async () => {
  const { root, asked } = await standInDaemon({
    'GET /schedules/sched-1': TIMED,
    'PATCH /schedules/sched-1': TIMED,
    'GET /schedules/sched-2': TASK,
  });
  await meshd(root, 'schedule', 'show', 'sched-1', '--seen');
  await meshd(root, 'schedule', 'show', 'sched-2', '--seen');
  expect(asked.filter(({ body }) => body !== undefined)).toEqual([
    { line: 'PATCH /schedules/sched-1', body: { seen: 'run-2' } },
  ]);
});

it.each([
  [['--cron', '@daily'], { cron: '@daily', zone: 'Asia/Tokyo' }],
  [['--cron', '@daily', '--zone', 'UTC'], { cron: '@daily', zone: 'UTC' }],
  [['--after', 'build'], { after_task: 'build' }],
  [['--after', 'build', '--title', 'Lamps'], { after_task: 'build', title: 'Lamps' }],
  [['--after', 'build', '--missed', 'skip'], { after_task: 'build', missed: 'skip' }],
  [['--after', 'build', '--permission-minutes', '5'], { after_task: 'build', permission_minutes: 5 }],
])('adds one with %j, in the time zone of this terminal', async (options, body) => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  const { root, asked } = await standInDaemon({ 'POST /schedules': TASK });
  try {
    const { out } = await meshd(root, 'schedule', 'add', 'Look', '--member', 'ada', ...options);
    expect(out).toBe('Added sched-2, after build.\n');
  } finally {
    vi.unstubAllEnvs();
  }
  expect(asked.map((one) => one.body)).toEqual([{ member: 'ada', text: 'Look', ...body }]);
});

it.each([
  ['pause', { paused: true }, TIMED, 'Paused.\n'],
  ['resume', { paused: false }, TIMED, 'Resumed, next run Mon 2026-11-30 09:00 +01:00.\n'],
  ['resume', { paused: false }, TASK, 'Resumed.\n'],
] as const)('%ss one', async (word, body, schedule, out) => {
  const { root, asked } = await standInDaemon({ 'PATCH /schedules/sched-1': schedule });
  expect((await meshd(root, 'schedule', word, 'sched-1')).out).toBe(out);
  expect(asked.map((one) => one.body)).toEqual([body]);
});

it('says why a run did not begin', async () => {
  const { root } = await standInDaemon({ 'POST /schedules/sched-1/run': REFUSED });
  expect((await meshd(root, 'schedule', 'run', 'sched-1')).out).toBe('No client works.\n');
});
