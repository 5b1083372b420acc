import { describe, expect, it } from 'vitest';
import type { PermissionList } from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import type { Schedule, ScheduleList, ScheduleRun } from '../../contract/work/schedules.js';
import { asking, echo, events, get, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import type { SocketClient } from '../../testing/processes/socket-client.js';

const DAILY = { member: 'developer', text: 'Look at the lamps', cron: '5 12 * * *', zone: 'UTC' };

const add = async (app: TestApp, given: object = {}) =>
  (await app.call('POST', '/schedules', { ...DAILY, ...given })).body as Schedule;
const find = async (app: TestApp, id: string) => (await app.call('GET', `/schedules/${id}`)).body as Schedule;

/** Reads the schedule after each change until its newest run is as wanted. */
async function untilRun(
  app: TestApp,
  client: SocketClient<EventFrame>,
  id: string,
  isIt: (run: ScheduleRun) => boolean,
) {
  for (;;) {
    const run = (await find(app, id)).last_runs[0];
    if (run && isIt(run)) return run;
    await client.until(({ type }) => type === 'schedules.updated');
  }
}

describe('a schedule of the operator', () => {
  it('runs as an ordinary conversation that is marked, and is told of to nobody when all went well', async () => {
    const app = await testApp({ clients: [echo()] });
    const made = await app.call('POST', '/schedules', DAILY);
    expect(made.status, made.text).toBe(201);
    const { id, next_runs, ...rest } = made.body as Schedule;
    expect(rest).toMatchObject({ title: DAILY.text, missed: 'once', permission_minutes: 10, needs_you: null });
    expect(next_runs.map(({ local }) => local)[0]).toBe('Sat 2026-11-21 12:05');
    const client = await events(app);
    app.clock.advance(5 * 60_000);
    const run = await untilRun(app, client, id, ({ state }) => state === 'ended');
    expect(run).toMatchObject({ cause: 'time', outcome: 'answered', code: null, denied: 0, times: 1 });
    const conversation = await get(app, run.conv ?? '');
    expect(conversation).toMatchObject({
      title: `2026-11-21 12:05 ${DAILY.text}`,
      member: 'developer',
      schedule: { id, title: DAILY.text },
      from_outside: false,
    });
    const { messages } = await read(app, conversation.conv);
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', DAILY.text],
      ['assistant', `You said ${DAILY.text}.`],
    ]);
    expect(((await app.call('GET', '/schedules?needs_you=true')).body as ScheduleList).count).toBe(0);
    // The conversation outlives its schedule, and the record of a run its conversation.
    await app.call('DELETE', `/conversations/${conversation.conv}`);
    expect((await find(app, id)).last_runs[0]).toMatchObject({ state: 'ended', outcome: 'answered', conv: null });
    expect((await app.call('DELETE', `/schedules/${id}`)).body).toEqual({ ok: true, deleted: id });
    expect((await app.call('GET', `/schedules/${id}`)).status).toBe(404);
  });

  it('denies a permission request after its time, and says so', async () => {
    const app = await testApp({ clients: [asking()] });
    const { id } = await add(app, { permission_minutes: 2 });
    const client = await events(app);
    app.clock.advance(5 * 60_000);
    await client.until(({ type }) => type === 'turn.permission');
    const { permissions } = (await app.call('GET', '/permissions')).body as PermissionList;
    expect(Date.parse(permissions[0]?.expires_at ?? '') - Date.parse(permissions[0]?.created_at ?? '')).toBe(120_000);
    app.clock.advance(120_000);
    const run = await untilRun(app, client, id, ({ state }) => state === 'ended');
    expect(run).toMatchObject({ outcome: 'answered', denied: 1 });
    expect((await read(app, run.conv ?? '')).messages.at(-1)?.text).toBe('May I? deny');
    const waiting = (await app.call('GET', '/schedules?needs_you=true')).body as ScheduleList;
    expect(waiting.schedules.map((one) => one.needs_you?.run)).toEqual([run.run]);
    const seen = await app.call('PATCH', `/schedules/${id}`, { seen: run.run });
    expect((seen.body as Schedule).needs_you).toBeNull();
    // The operator's own message in the same conversation is attended.
    await app.call('POST', `/conversations/${run.conv}/messages`, { text: 'And now?' });
    await client.until((frame) => frame.type === 'turn.permission' && frame.permission.decision === null);
    const own = ((await app.call('GET', '/permissions')).body as PermissionList).permissions[0];
    expect(Date.parse(own?.expires_at ?? '') - Date.parse(own?.created_at ?? '')).toBe(3_600_000);
  });

  it('without a model is refused and makes no conversation', async () => {
    const app = await testApp();
    const { id } = await add(app);
    const client = await events(app);
    app.clock.advance(5 * 60_000);
    expect(await untilRun(app, client, id, () => true)).toMatchObject({
      state: 'refused',
      code: 'no_working_client',
      reason: expect.stringContaining('no model is connected'),
      conv: null,
    });
    expect((await app.call('GET', '/conversations')).body).toMatchObject({ count: 0 });
    const refused = await app.call('POST', `/schedules/${id}/run`);
    expect([refused.status, refused.body]).toMatchObject([409, { error: 'no_working_client' }]);
  });

  it('survives a restart, and does once what it missed', async () => {
    const app = await testApp({ clients: [echo()] });
    const { id } = await add(app);
    await app.stop();
    app.clock.advance(3 * 24 * 3_600_000);
    const next = await testApp({ root: app.root, clock: app.clock, clients: [echo()] });
    const run = await untilRun(next, await events(next), id, ({ state }) => state === 'ended');
    expect(run).toMatchObject({ cause: 'missed', times: 3, outcome: 'answered', due_at: '2026-11-23T12:05:00.000Z' });
    expect((await next.call('GET', '/conversations')).body).toMatchObject({ count: 1 });
    await next.call('DELETE', '/team/developer');
    expect(await find(next, id)).toMatchObject({ paused: true, paused_reason: expect.stringContaining('developer') });
  });

  it('shows its next times before it is made, and says which field is wrong', async () => {
    const app = await testApp();
    const preview = await app.call(
      'GET',
      `/schedules/preview?cron=${encodeURIComponent('0 9 * * 1-5')}&zone=Europe/Berlin`,
    );
    expect(preview.body).toMatchObject({ cron: '0 9 * * 1-5', zone: 'Europe/Berlin' });
    expect((preview.body as Schedule).next_runs).toHaveLength(3);
    const wrong = await app.call('POST', '/schedules', { ...DAILY, cron: '0 9 * * 9' });
    expect([wrong.status, wrong.body]).toMatchObject([
      400,
      { error: 'bad_request', path: 'cron', message: expect.stringContaining('the day of week "9"') },
    ]);
  });
});
