import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../../daemon/contract/work/schedules.js';
import { createPatch, toNew, toValues } from './schedule-values.js';

const schedule = (changed: Partial<Schedule>) =>
  ({
    ...{ title: 'Lamps', member: 'developer', text: 'Look at the lamps', cron: '0 9 * * *', zone: 'UTC' },
    ...{ after_task: null, missed: 'once', permission_minutes: 10, ...changed },
  }) as Schedule;
const values = toValues(schedule({}));

describe('the form of a schedule', () => {
  it('shows times, or the task that it runs after', () => {
    expect(values).toMatchObject({ kind: 'times', cron: '0 9 * * *', zone: 'UTC', task: '', minutes: '10' });
    expect(toValues(schedule({ cron: null, zone: null, after_task: 'build' }))).toMatchObject({
      ...{ kind: 'task', cron: '', task: 'build' },
    });
  });

  it('adds a schedule with what was typed, trimmed, and its name only when there is one', () => {
    expect(toNew({ ...values, text: ' Look ', cron: ' @daily ', title: ' ' })).toEqual({
      ...{ member: 'developer', text: 'Look', missed: 'once', permission_minutes: 10, cron: '@daily', zone: 'UTC' },
    });
    expect(toNew({ ...values, kind: 'task', task: 'build' })).toMatchObject({ after_task: 'build', title: 'Lamps' });
  });

  it.each([
    [{}, {}],
    [{ text: 'Other' }, { text: 'Other' }],
    [{ minutes: '5' }, { permission_minutes: 5 }],
    [{ missed: 'all' }, { missed: 'all' }],
    [{ member: 'deployer' }, { member: 'deployer' }],
    [{ cron: '@daily' }, { cron: '@daily', zone: 'UTC' }],
    [{ kind: 'task', task: 'build' }, { after_task: 'build' }],
    [{ title: 'Quay' }, { title: 'Quay' }],
    [{ title: ' ' }, { title: '' }],
  ] as const)('sends of %j only what changed', (changed, patch) => {
    expect(createPatch(values, { ...values, ...changed })).toEqual(patch);
  });

  it('sends no times of a schedule after a task when only its text changes', () => {
    const after = toValues(schedule({ cron: null, zone: null, after_task: 'build' }));
    expect(createPatch(after, { ...after, text: 'Other' })).toEqual({ text: 'Other' });
  });
});
