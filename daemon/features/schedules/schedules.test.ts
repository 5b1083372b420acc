import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionList } from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import type { Schedule, ScheduleList, ScheduleRun } from '../../contract/work/schedules.js';
import { asking, echo, events, get, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { DAY_MS, daily, Machine, MINUTE_MS } from '../../testing/parts/scheduling.js';
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

  it('goes on when the file of its member is away for a moment, as during a stash, and so do its limits', async () => {
    const app = await testApp({ clients: [echo()] });
    const { id } = await add(app);
    await app.call('PUT', '/budgets/member:developer', { turns: 20 });
    const client = await events(app);
    const path = join(app.root, '.mesh/team/developer.md');
    const text = readFileSync(path, 'utf8');
    unlinkSync(path);
    await client.until(({ type }) => type === 'team.deleted');
    app.clock.advance(31_000);
    writeFileSync(path, text);
    await client.until(({ type }) => type === 'team.created');
    expect(await find(app, id)).toMatchObject({ paused: false, paused_reason: null });
    expect((await app.call('GET', '/budgets/member:developer')).body).toMatchObject({ limits: { turns: 20 } });
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

/** Schedules without the rest of the daemon, at 07:30 UTC of 27 November 2026. */
function alone() {
  const machine = new Machine();
  const { schedules, runner, runs, transactions } = machine.boot();
  const given = { member: 'developer', text: 'Look' };
  return {
    ...{ machine, schedules, runner, runs, transactions },
    create: (more: object) => schedules.create({ ...given, cron: '0 9 * * *', zone: 'UTC', ...more }),
    createAfter: (after_task: string, more: object = {}) => schedules.create({ ...given, after_task, ...more }),
  };
}

const refusal = (path: string, message: string) => ({ code: 'bad_request', details: { path }, message });

describe('a new schedule', () => {
  it('has what is given, and what is usual', async () => {
    const { create, machine } = alone();
    const at = '2026-11-27T07:30:00.000Z';
    expect(await create({})).toEqual({
      ...{ id: expect.stringMatching(/^sched-.{16}$/), title: 'Look', member: 'developer', text: 'Look' },
      ...{ cron: '0 9 * * *', zone: 'UTC', after_task: null, missed: 'once', permission_minutes: 10, paused: false },
      ...{ paused_reason: null, last_runs: [], needs_you: null, created_at: at, updated_at: at },
      next_runs: ['Fri 2026-11-27 09:00', 'Sat 2026-11-28 09:00', 'Sun 2026-11-29 09:00'].map((local) =>
        expect.objectContaining({ local }),
      ),
    });
    expect(machine.events).toEqual(['schedules.updated']);
    expect(
      await create({ missed: 'skip', permission_minutes: 3, paused: true, title: ' T ', text: ' x ' }),
    ).toMatchObject({
      ...{ missed: 'skip', permission_minutes: 3, paused: true, next_runs: [], title: 'T', text: ' x ' },
    });
    expect((await create({ cron: ' @daily ', zone: undefined })).cron).toBe('@daily');
    expect((await create({ zone: undefined })).zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect((await create({ paused: false })).paused).toBe(false);
  });

  it('after a task has no times', async () => {
    const { createAfter, machine } = alone();
    machine.tasks.push({ id: 'other', state: 'done' }, { id: 'build', state: 'open' });
    expect(await createAfter('build')).toMatchObject({ after_task: 'build', cron: null, zone: null, next_runs: [] });
    await expect(createAfter('none')).rejects.toMatchObject(
      refusal('after_task', 'There is no task "none" in the roadmap.'),
    );
    await expect(createAfter('other')).rejects.toMatchObject(
      refusal('after_task', 'The task "other" is done already: a schedule runs when its task becomes done.'),
    );
  });

  it.each<[title: string, text: string, expected: string]>([
    ['', ' \n Look around. \nThen tell.', 'Look around. '],
    ['  ', 'Look', 'Look'],
    ['', 'x'.repeat(60), 'x'.repeat(60)],
    ['', 'x'.repeat(61), `${'x'.repeat(59)}…`],
    ['', '\u{1d11e}'.repeat(60), '\u{1d11e}'.repeat(60)],
    ['', '\u{1d11e}'.repeat(61), `${'\u{1d11e}'.repeat(59)}…`],
    [` ${'y'.repeat(101)}`, 'Look', 'y'.repeat(100)],
    ['Title', 'Look', 'Title'],
  ])('%# is called by its title, or by the first line of its text', async (title, text, expected) => {
    expect((await alone().create({ title, text })).title).toBe(expected);
  });

  it('needs a member, a text, and times or a task', async () => {
    const { create, machine } = alone();
    const either = refusal('cron', '"cron": give either times, or a task to run after.');
    await expect(create({ member: 'nobody' })).rejects.toMatchObject(refusal('member', 'There is no member `nobody`.'));
    await expect(create({ text: ' \n' })).rejects.toMatchObject(
      refusal('text', 'Give a text: what the member is to do.'),
    );
    await expect(create({ cron: undefined })).rejects.toMatchObject(either);
    await expect(create({ after_task: 'build' })).rejects.toMatchObject(either);
    await expect(create({ cron: 'x' })).rejects.toMatchObject({ details: { path: 'cron' } });
    expect(machine.events).toEqual([]);
  });
});

describe('the next times of an expression', () => {
  it('are three, in the given zone or that of the machine', () => {
    const { schedules } = alone();
    expect(schedules.preview({ cron: ' 0 9 * * * ', zone: 'Europe/Berlin' })).toEqual({
      ...{ cron: '0 9 * * *', zone: 'Europe/Berlin' },
      next_runs: ['Fri 2026-11-27 09:00', 'Sat 2026-11-28 09:00', 'Sun 2026-11-29 09:00'].map((local) =>
        expect.objectContaining({ local, offset: '+01:00' }),
      ),
    });
    expect(schedules.preview({ cron: '@daily' }).zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(() => schedules.preview({ cron: 'x', zone: 'UTC' })).toThrow('"cron": "x" has 1 fields');
    expect(() => schedules.preview({ cron: '@daily', zone: 'Mars/City' })).toThrow('is no time zone');
  });
});

describe('a changed schedule', () => {
  it.each<[patch: object, change: object]>([
    [{}, {}],
    [{ text: 'Find' }, { text: 'Find', title: 'Find' }],
    [{ title: ' New ' }, { title: 'New' }],
    [{ title: ' ' }, { title: 'Look' }],
    [
      { title: ' ', text: 'Find' },
      { title: 'Find', text: 'Find' },
    ],
    [{ missed: 'all' }, { missed: 'all' }],
    [{ permission_minutes: 5 }, { permission_minutes: 5 }],
    [{ member: 'other' }, { member: 'other' }],
    [{ cron: '@daily' }, { cron: '@daily', zone: 'UTC' }],
    [{ zone: 'Europe/Berlin' }, { cron: '0 9 * * *', zone: 'Europe/Berlin' }],
    [{ after_task: 'build' }, { cron: null, zone: null, after_task: 'build', next_runs: [] }],
    [{ paused: true }, { paused: true, next_runs: [], paused_reason: null }],
    [{ paused: false }, { paused: false }],
  ])('%j is changed there only', async (patch, change) => {
    const { create, schedules, machine } = alone();
    machine.members.add('other');
    machine.tasks.push({ id: 'build', state: 'open' });
    const made = await create({});
    machine.clock.step(1_000);
    const { next_runs: before, ...rest } = made;
    const { next_runs, ...patched } = await schedules.patch(made.id, patch);
    const { next_runs: times, ...changed } = change as { next_runs?: unknown };
    expect(patched).toEqual({ ...rest, ...changed, updated_at: '2026-11-27T07:30:01.000Z' });
    const isRetimed = ['cron', 'zone', 'after_task', 'paused'].some((key) => Object.hasOwn(patch, key));
    expect(next_runs).toEqual(times ?? (isRetimed ? expect.any(Array) : before));
    expect(machine.events).toEqual(['schedules.updated', 'schedules.updated']);
  });

  it('follows its text in its name, unless it was given another', async () => {
    const { create, schedules } = alone();
    const [named, other] = [await create({}), await create({ title: 'Lamps' })];
    expect(await schedules.patch(named.id, { text: 'Find' })).toMatchObject({ text: 'Find', title: 'Find' });
    expect(await schedules.patch(other.id, { text: 'Find' })).toMatchObject({ text: 'Find', title: 'Lamps' });
  });

  it('that waits for a task goes on to wait, unless times are given', async () => {
    const { createAfter, schedules, machine } = alone();
    machine.tasks.push({ id: 'build', state: 'open' }, { id: 'ship', state: 'open' });
    const { id } = await createAfter('build');
    expect(await schedules.patch(id, { after_task: 'ship' })).toMatchObject({ after_task: 'ship', cron: null });
    expect(await schedules.patch(id, { zone: 'UTC' })).toMatchObject({ after_task: 'ship', cron: null, zone: null });
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(await schedules.patch(id, { cron: '@daily' })).toMatchObject({
      after_task: null,
      cron: '@daily',
      zone: own,
    });
    await expect(schedules.patch(id, { cron: '@daily', after_task: 'ship' })).rejects.toMatchObject({
      details: { path: 'cron' },
    });
  });

  it('is refused for what is not there', async () => {
    const { create, schedules } = alone();
    const { id } = await create({});
    await expect(schedules.patch('sched-0', {})).rejects.toThrow('There is no schedule `sched-0`.');
    await expect(schedules.remove('sched-0')).rejects.toThrow('There is no schedule `sched-0`.');
    await expect(schedules.patch(id, { member: 'nobody' })).rejects.toMatchObject({ details: { path: 'member' } });
    await expect(schedules.patch(id, { text: ' ' })).rejects.toMatchObject({ details: { path: 'text' } });
    await expect(schedules.patch(id, { seen: 'run-0' })).rejects.toMatchObject(
      refusal('seen', 'There is no run `run-0` of this schedule.'),
    );
    expect(schedules.get(id).title).toBe('Look');
  });

  it('whose member is gone can be changed, but not resumed', async () => {
    const { create, schedules, machine } = alone();
    const { id } = await create({});
    machine.members.clear();
    await schedules.memberGone('someone');
    expect(schedules.get(id).paused).toBe(false);
    await schedules.memberGone('developer');
    expect(schedules.get(id)).toMatchObject({ paused_reason: 'There is no member `developer` any more.' });
    expect((await schedules.patch(id, { title: 'New', paused: true })).paused_reason).toBeNull();
    await expect(schedules.patch(id, { paused: false })).rejects.toMatchObject({ details: { path: 'member' } });
    machine.members.add('other');
    expect(await schedules.patch(id, { paused: false, member: 'other' })).toMatchObject({
      paused: false,
      member: 'other',
    });
  });

  it('that is paused already keeps the reason of the operator', async () => {
    const { create, schedules, machine } = alone();
    const { id } = await create({ paused: true });
    machine.events.length = 0;
    await schedules.memberGone('developer');
    expect([schedules.get(id).paused_reason, machine.events]).toEqual([null, []]);
  });

  it('loses the runs that wait when it is paused', async () => {
    const { daemon, id, pass, machine } = await daily('all');
    machine.clock.step(3 * DAY_MS);
    await pass(0);
    await daemon.schedules.patch(id, { title: 'New' });
    expect(daemon.schedules.get(id).last_runs.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'running']);
    await daemon.schedules.patch(id, { paused: true });
    expect(daemon.schedules.get(id).last_runs.map(({ state }) => state)).toEqual(['running']);
  });

  it('has its runs seen up to the newest that was, and not back', async () => {
    const { daemon, id, pass } = await daily('once', '* * * * *');
    const { schedules } = daemon;
    await pass(MINUTE_MS);
    await pass(MINUTE_MS);
    const first = schedules.get(id).needs_you?.run ?? '';
    await daemon.end('turn-1', 'failed', 'client_failed');
    expect((await schedules.patch(id, { seen: first })).needs_you).toMatchObject({ code: 'client_failed' });
    expect(schedules.list({ needs_you: true }).count).toBe(1);
    const last = schedules.get(id).needs_you?.run ?? '';
    expect((await schedules.patch(id, { seen: last })).needs_you).toBeNull();
    expect((await schedules.patch(id, { seen: first })).needs_you).toBeNull();
    expect([schedules.list({ needs_you: true }).count, schedules.list({ needs_you: false }).count]).toEqual([0, 1]);
  });
});

it('a removed schedule is gone for itself, and others stay', async () => {
  const { create, schedules, machine } = alone();
  const [{ id }, other] = [await create({}), await create({})];
  await schedules.remove(id);
  expect(schedules.list()).toMatchObject({ schedules: [{ id: other.id }], count: 1 });
  expect(() => schedules.get(id)).toThrow(`There is no schedule \`${id}\`.`);
  expect(machine.events).toEqual(Array(3).fill('schedules.updated'));
});
