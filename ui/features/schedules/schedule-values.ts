import type { MissedRule, NewSchedule, Schedule, SchedulePatch } from '../../../daemon/contract/work/schedules.js';

/** The values of the form. */
export interface ScheduleValues {
  member: string;
  text: string;
  kind: 'times' | 'task';
  cron: string;
  zone: string;
  task: string;
  title: string;
  missed: MissedRule;
  minutes: string;
}

export function toValues(schedule: Schedule | undefined): ScheduleValues {
  return {
    member: schedule?.member ?? '',
    text: schedule?.text ?? '',
    kind: schedule?.after_task ? 'task' : 'times',
    cron: schedule?.cron ?? (schedule ? '' : '0 9 * * 1-5'),
    zone: schedule?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    task: schedule?.after_task ?? '',
    title: schedule?.title ?? '',
    missed: schedule?.missed ?? 'once',
    minutes: String(schedule?.permission_minutes ?? 10),
  };
}

const toWhen = ({ kind, cron, zone, task }: ScheduleValues) =>
  kind === 'times' ? { cron: cron.trim(), zone } : { after_task: task };

export function toNew(values: ScheduleValues): NewSchedule {
  const { member, text, title, missed, minutes } = values;
  return {
    ...{ member, text: text.trim(), missed, permission_minutes: Number(minutes), ...toWhen(values) },
    ...(title.trim() === '' ? {} : { title: title.trim() }),
  };
}

/** Returns only what changed: giving times again would forget those that are due. */
export function createPatch(was: ScheduleValues, values: ScheduleValues): SchedulePatch {
  const { member, text, title, missed, minutes } = values;
  const isRetimed = JSON.stringify(toWhen(was)) !== JSON.stringify(toWhen(values));
  return {
    ...(member === was.member ? {} : { member }),
    ...(text.trim() === was.text ? {} : { text: text.trim() }),
    ...(title.trim() === was.title ? {} : { title: title.trim() }),
    ...(missed === was.missed ? {} : { missed }),
    ...(minutes === was.minutes ? {} : { permission_minutes: Number(minutes) }),
    ...(isRetimed ? toWhen(values) : {}),
  };
}
