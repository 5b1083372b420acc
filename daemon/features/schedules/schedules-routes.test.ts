import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';

it('each route of schedules tells what it does', async () => {
  const app = await testApp();
  const { paths } = (await app.call('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, object>>;
  };
  const routes: [path: string, method: string, summary: string, status: string, schema: string][] = [
    ['', 'get', 'Schedules, with their next and last runs', '200', 'ScheduleList'],
    ['', 'post', 'Add a schedule', '201', 'Schedule'],
    ['/preview', 'get', 'The next times of a cron expression', '200', 'SchedulePreview'],
    ['/{id}', 'get', 'One schedule', '200', 'Schedule'],
    ['/{id}', 'patch', 'Change, pause or resume a schedule', '200', 'Schedule'],
    ['/{id}', 'delete', 'Delete a schedule', '200', 'ScheduleDeleted'],
    ['/{id}/run', 'post', 'Begin a run now', '202', 'ScheduleRun'],
  ];
  for (const [path, method, summary, status, schema] of routes)
    expect(paths[`/schedules${path}`]?.[method], `${method} ${path}`).toMatchObject({
      ...{ summary, tags: ['schedules'] },
      responses: {
        [status]: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } },
      },
    });
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
