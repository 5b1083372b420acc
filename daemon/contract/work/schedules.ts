import { type Static, Type } from 'typebox';
import { MESSAGE_TEXT_MAX_CHARS, OUTCOMES } from '../conversations.js';
import { oneOf, orNull } from '../one-of.js';

export const SCHEDULES_MAX = 100;
/** Most missed times that `all` makes up for, the newest ones. */
export const MISSED_RUNS_MAX = 20;
/** Runs of one schedule begin at least this far apart. */
export const RUN_EVERY_SECONDS = 60;
/** How many runs of a schedule are kept, and how many of them a Schedule shows. */
export const KEPT_RUNS_MAX = 100;
export const LAST_RUNS_MAX = 10;
export const NEXT_RUNS_MAX = 3;
export const SCHEDULED_PERMISSION_MINUTES = 10;
export const SCHEDULED_PERMISSION_MINUTES_MAX = 60;
export const SCHEDULE_TITLE_MAX_CHARS = 100;
export const CRON_MAX_CHARS = 200;
export const ZONE_MAX_CHARS = 64;

export const MISSED_RULES = ['skip', 'once', 'all'] as const;
export type MissedRule = (typeof MISSED_RULES)[number];

export const RUN_CAUSES = ['time', 'missed', 'task', 'operator'] as const;
export const RUN_STATES = ['waiting', 'running', 'ended', 'refused', 'skipped'] as const;

const cron = (description: string) => Type.String({ minLength: 1, maxLength: CRON_MAX_CHARS, description });
const zone = (description: string) => Type.String({ minLength: 1, maxLength: ZONE_MAX_CHARS, description });
const taskId = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' });

/** A time at which a schedule runs: the moment, and what clocks in its zone show then. */
export const NextRun = Type.Object(
  {
    at: Type.String({ description: 'UTC.' }),
    local: Type.String({ description: '`Mon 2026-11-30 09:00` in the time zone of the schedule.' }),
    offset: Type.String({ description: 'Of the zone from UTC at that moment: `+01:00`.' }),
  },
  { $id: 'NextRun' },
);
export type NextRun = Static<typeof NextRun>;

/** One run of a schedule, or why there was none. */
export const ScheduleRun = Type.Object(
  {
    run: Type.String({ description: '`run-` and 16 characters.' }),
    cause: oneOf(RUN_CAUSES, 'Its time, times that were missed, its task was done, or the operator started it.'),
    due_at: Type.String({ description: 'The time that it stands for; of several missed ones, the newest.' }),
    times: Type.Integer({ minimum: 1, description: 'How many missed times it stands for; 20 may stand for more.' }),
    state: oneOf(RUN_STATES, 'A missed run waits until the one before it has ended.'),
    at: orNull(Type.String({ description: 'When it started, or was refused or skipped.' })),
    conv: orNull(Type.String({ description: 'Its conversation; null without one, or when that was deleted.' })),
    outcome: orNull(oneOf(OUTCOMES, 'Of its turn.')),
    code: orNull(
      Type.String({
        description:
          'Why it was refused or skipped (`no_working_client`, `overlap`, `missed`, ...), or its turn failed.',
      }),
    ),
    reason: orNull(Type.String()),
    denied: Type.Integer({
      minimum: 0,
      description: 'Permission requests of the run that were denied because nobody answered in time.',
    }),
  },
  { $id: 'ScheduleRun' },
);
export type ScheduleRun = Static<typeof ScheduleRun>;

/** What a member does at certain times, or once a task of the roadmap is done. Only the operator makes schedules. */
export const Schedule = Type.Object(
  {
    id: Type.String({ description: '`sched-` and 16 characters.' }),
    title: Type.String(),
    member: Type.String(),
    text: Type.String({ description: 'The message that each run begins with.' }),
    cron: orNull(Type.String()),
    zone: orNull(Type.String()),
    after_task: orNull(Type.String({ description: 'Runs each time that this task of the roadmap becomes done.' })),
    missed: oneOf(MISSED_RULES, 'What becomes of times at which the daemon did not run or the machine slept.'),
    permission_minutes: Type.Integer({
      description: 'A permission request of a run is denied when nobody has answered by then.',
    }),
    paused: Type.Boolean(),
    paused_reason: orNull(Type.String({ description: 'Why the daemon paused it; null when the operator did.' })),
    next_runs: Type.Array(Type.Ref('NextRun'), {
      maxItems: NEXT_RUNS_MAX,
      description: 'Empty while it is paused, and for a schedule that waits for a task.',
    }),
    last_runs: Type.Array(Type.Ref('ScheduleRun'), { maxItems: LAST_RUNS_MAX, description: 'Newest first.' }),
    needs_you: orNull(Type.Ref('ScheduleRun')),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { $id: 'Schedule' },
);
export type Schedule = Omit<Static<typeof Schedule>, 'next_runs' | 'last_runs' | 'needs_you'> & {
  next_runs: NextRun[];
  last_runs: ScheduleRun[];
  /** The newest run that the operator should know of and has not seen: refused, skipped, failed, or with denials. */
  needs_you: ScheduleRun | null;
};

/** All schedules, oldest first; at most 100. */
export const ScheduleList = Type.Object(
  { schedules: Type.Array(Type.Ref('Schedule')), count: Type.Integer() },
  { $id: 'ScheduleList' },
);
export type ScheduleList = { schedules: Schedule[]; count: number };

export const SchedulesQuery = Type.Object(
  {
    needs_you: Type.Optional(Type.Boolean({ description: 'Only those with a run that the operator should know of.' })),
  },
  { additionalProperties: false },
);
export type SchedulesQuery = Static<typeof SchedulesQuery>;

const CRON =
  'Minute, hour, day of month, month and day of week: `0 9 * * 1-5`, or `@daily` and the like. With a day of month and ' +
  'a day of week, either is enough. A time that the clocks skip in spring runs when they have moved on; one that they ' +
  'show twice in autumn runs the first time.';
const fields = {
  title: Type.Optional(
    Type.String({
      maxLength: SCHEDULE_TITLE_MAX_CHARS,
      description: 'Default, and when empty: the start of the text.',
    }),
  ),
  missed: Type.Optional(oneOf(MISSED_RULES, 'Default: once.')),
  permission_minutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: SCHEDULED_PERMISSION_MINUTES_MAX, description: 'Default: 10.' }),
  ),
  paused: Type.Optional(Type.Boolean()),
  cron: Type.Optional(cron(CRON)),
  zone: Type.Optional(zone('IANA name, such as `Europe/Berlin`. Default: that of the daemon.')),
  after_task: Type.Optional(taskId),
};
const member = Type.String({ minLength: 1, maxLength: 64 });
const text = Type.String({ minLength: 1, maxLength: MESSAGE_TEXT_MAX_CHARS });

/** Either `cron` or `after_task` must be given. */
export const NewSchedule = Type.Object({ member, text, ...fields }, { additionalProperties: false });
export type NewSchedule = Static<typeof NewSchedule>;

/** `cron` replaces `after_task`, and the other way round. */
export const SchedulePatch = Type.Object(
  {
    member: Type.Optional(member),
    text: Type.Optional(text),
    ...fields,
    seen: Type.Optional(Type.String({ maxLength: 64, description: 'The newest run that the operator has seen.' })),
  },
  { additionalProperties: false },
);
export type SchedulePatch = Static<typeof SchedulePatch>;

export const SchedulePreviewQuery = Type.Object(
  { cron: cron(CRON), zone: Type.Optional(zone('Default: that of the daemon.')) },
  { additionalProperties: false },
);
export type SchedulePreviewQuery = Static<typeof SchedulePreviewQuery>;

export const SchedulePreview = Type.Object(
  { cron: Type.String(), zone: Type.String(), next_runs: Type.Array(Type.Ref('NextRun')) },
  { $id: 'SchedulePreview' },
);
export type SchedulePreview = { cron: string; zone: string; next_runs: NextRun[] };

export const ScheduleDeleted = Type.Object(
  { ok: Type.Literal(true), deleted: Type.String() },
  { $id: 'ScheduleDeleted' },
);
export type ScheduleDeleted = Static<typeof ScheduleDeleted>;
