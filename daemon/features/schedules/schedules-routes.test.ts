import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  expect(await describedOperations(await testApp(), /^\/schedules/)).toEqual({
    'GET /schedules': 'schedules, operator, 200 ScheduleList, Schedules, with their next and last runs',
    'POST /schedules': 'schedules, operator, 201 Schedule, Add a schedule',
    'GET /schedules/preview': 'schedules, operator, 200 SchedulePreview, The next times of a cron expression',
    'GET /schedules/{id}': 'schedules, operator, 200 Schedule, One schedule',
    'PATCH /schedules/{id}': 'schedules, operator, 200 Schedule, Change, pause or resume a schedule',
    'DELETE /schedules/{id}': 'schedules, operator, 200 ScheduleDeleted, Delete a schedule',
    'POST /schedules/{id}/run': 'schedules, operator, 202 ScheduleRun, Begin a run now',
  });
});

it('names a schedule that is not there, and refuses what no route takes', async () => {
  const app = await testApp();
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { title: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/run', undefined],
  ] as const)
    expect(await app.call(method, `/schedules/sched-0${path}`, body)).toMatchObject({
      status: 404,
      body: { message: 'There is no schedule `sched-0`.' },
    });
  for (const [method, path, body] of [
    ['GET', '/schedules?other=1'],
    ['GET', '/schedules/preview'],
    ['POST', '/schedules', {}],
    ['PATCH', '/schedules/sched-0', { other: 1 }],
  ] as const)
    expect((await app.call(method, path, body)).status, path).toBe(400);
});
