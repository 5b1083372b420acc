import { type Command, Option } from 'commander';
import type {
  MissedRule,
  NewSchedule,
  Schedule,
  ScheduleDeleted,
  ScheduleList,
  SchedulePatch,
  ScheduleRun,
} from '../../contract/work/schedules.js';
import { action, type Common, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { getDaemon } from '../daemon/project.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';

const MISSED = Object.keys({ skip: true, once: true, all: true } satisfies Record<MissedRule, true>);

const schedulePath = (id: string, rest = '') => `/schedules/${encodeURIComponent(id)}${rest}`;

/** `0 9 * * 1-5 (Europe/Berlin)`, or the task that it runs after. */
const formatWhen = ({ cron, zone, after_task }: Schedule) =>
  cron === null ? `after ${after_task}` : `${cron} (${zone})`;

function formatNext({ paused, next_runs: [next] }: Schedule): string {
  if (paused) return 'paused';
  return next ? `${next.local} ${next.offset}` : '';
}

/** `ended, answered`, `refused (no_working_client)`. */
export function formatRun({ state, outcome, code, denied }: ScheduleRun): string {
  const end = outcome === null ? state : `${state}, ${outcome}`;
  const why = code === null ? '' : ` (${code})`;
  return `${end}${why}${denied > 0 ? `, ${denied} denied` : ''}`;
}

function showSchedule(terminal: Terminal, schedule: Schedule): void {
  const { id, title, member, text, missed, permission_minutes, paused_reason, next_runs, last_runs } = schedule;
  terminal.table([
    ['schedule', id],
    ['title', title],
    ['member', member],
    ['text', printable(text).replaceAll(/\s+/g, ' ')],
    ['when', formatWhen(schedule)],
    ['missed', missed],
    ['permission', `denied after ${permission_minutes} min`],
    ...(schedule.paused ? [['paused', paused_reason ?? 'by you']] : []),
    ...next_runs.map(({ at, local, offset }) => ['next', `${local} ${offset} (${utcTime(at)} UTC)`]),
  ]);
  terminal.table(
    last_runs.map((run) => [
      run.run,
      utcTime(run.due_at),
      run.cause,
      formatRun(run),
      run.conv ?? '',
      printable(run.reason ?? ''),
    ]),
    ['RUN', 'DUE (UTC)', 'CAUSE', 'STATE', 'CONVERSATION', 'WHY'],
  );
}

function addScheduleLs(schedule: Command, terminal: Terminal): void {
  schedule
    .command('ls')
    .summary('list them')
    .description('List the schedules with their next time, in their own zone, and how the last run ended.')
    .option('--jsonl', 'one JSON object a line')
    .addHelpText('after', examples('meshd schedule ls', 'meshd schedule ls --json'))
    .action(
      action<{ jsonl?: boolean }, []>(terminal, async ({ root, json, jsonl }) => {
        const { client } = await getDaemon(root);
        const found = await client.get<ScheduleList>('/schedules');
        if (json) return terminal.object(found);
        if (jsonl) return found.schedules.forEach((one) => void terminal.record(one));
        if (found.count === 0) return terminal.note('No schedules: `meshd schedule add`.');
        terminal.table(
          found.schedules.map((one) => [
            one.id,
            one.member,
            formatWhen(one),
            formatNext(one),
            one.last_runs[0] ? formatRun(one.last_runs[0]) : '',
            printable(one.title),
          ]),
          ['SCHEDULE', 'MEMBER', 'WHEN', 'NEXT', 'LAST', 'TITLE'],
        );
      }),
    );
}

interface AddOptions {
  member: string;
  cron?: string;
  zone?: string;
  after?: string;
  title?: string;
  missed?: MissedRule;
  permissionMinutes?: number;
}

async function addOne(terminal: Terminal, options: AddOptions & Common, text: string): Promise<void> {
  const { root, json, member, cron, zone, after, title, missed, permissionMinutes } = options;
  const { client } = await getDaemon(root);
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const body: NewSchedule = {
    ...{ member, text },
    ...(cron === undefined ? {} : { cron, zone: zone ?? ownZone }),
    ...(after === undefined ? {} : { after_task: after }),
    ...(title === undefined ? {} : { title }),
    ...(missed === undefined ? {} : { missed }),
    ...(permissionMinutes === undefined ? {} : { permission_minutes: permissionMinutes }),
  };
  const made = await client.send<Schedule>('POST', '/schedules', { body });
  if (json) return terminal.object(made);
  const next = formatNext(made);
  terminal.answer(printable(`Added ${made.id}, ${next === '' ? formatWhen(made) : `next run ${next}`}.`));
}

function addScheduleAdd(schedule: Command, terminal: Terminal): void {
  schedule
    .command('add')
    .summary('add one')
    .description(
      'Let a member work at set times (--cron), or each time that a task of the roadmap becomes done (--after). Each ' +
        'run is a new conversation. A permission question that nobody answers in time is denied.',
    )
    .argument('<text>', 'what the member is to do')
    .requiredOption('--member <id>', 'who does it')
    .option('--cron <expression>', 'minute, hour, day of month, month, day of week; or @daily and the like')
    .option('--zone <zone>', 'its time zone, such as Europe/Berlin (default: that of this terminal)')
    .option('--after <task>', 'the task that it runs after')
    .option('--title <words>', 'its name (default: the start of the text)')
    .addOption(
      new Option('--missed <rule>', 'what becomes of times at which the machine slept (default: once)').choices(MISSED),
    )
    .option('--permission-minutes <minutes>', 'how long a question waits (default: 10, at most 60)', parseCount)
    .addHelpText(
      'after',
      examples(
        'meshd schedule add --member developer --cron "0 9 * * 1-5" --zone Europe/Berlin "Look at what broke overnight"',
        'meshd schedule add --member deployer --after build "Release it"',
      ),
    )
    .action(action<AddOptions, [string]>(terminal, addOne.bind(undefined, terminal)));
}

function addScheduleShow(schedule: Command, terminal: Terminal): void {
  schedule
    .command('show')
    .summary('show one, with its runs')
    .description('Show a schedule with its next times and its last runs.')
    .argument('<schedule>')
    .option('--seen', 'mark its runs as seen: `meshd inbox` no longer lists them')
    .addHelpText('after', examples('meshd schedule show sched-0123456789abcdef'))
    .action(
      action<{ seen?: boolean }, [string]>(terminal, async ({ root, json, seen }, id) => {
        const { client } = await getDaemon(root);
        let found = await client.get<Schedule>(schedulePath(id));
        if (seen && found.needs_you) {
          const body: SchedulePatch = { seen: found.needs_you.run };
          found = await client.send<Schedule>('PATCH', schedulePath(id), { body });
        }
        if (json) terminal.object(found);
        else showSchedule(terminal, found);
      }),
    );
}

function addPausing(schedule: Command, terminal: Terminal, word: 'pause' | 'resume'): void {
  schedule
    .command(word)
    .summary(word === 'pause' ? 'begin no more runs' : 'begin runs again')
    .description(
      word === 'pause'
        ? 'Begin no more runs. One that runs goes on.'
        : 'Begin runs again, from its next time. Times that passed meanwhile are not made up for.',
    )
    .argument('<schedule>')
    .addHelpText('after', examples(`meshd schedule ${word} sched-0123456789abcdef`))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const body: SchedulePatch = { paused: word === 'pause' };
        const changed = await client.send<Schedule>('PATCH', schedulePath(id), { body });
        if (json) return terminal.object(changed);
        const next = formatNext(changed);
        terminal.answer(printable(word === 'pause' ? 'Paused.' : `Resumed${next === '' ? '' : `, next run ${next}`}.`));
      }),
    );
}

function addScheduleRun(schedule: Command, terminal: Terminal): void {
  schedule
    .command('run')
    .summary('begin a run now')
    .description('Begin a run now, also of a paused schedule, and return at once. Its times stay as they are.')
    .argument('<schedule>')
    .addHelpText('after', examples('meshd schedule run sched-0123456789abcdef'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const run = await client.send<ScheduleRun>('POST', schedulePath(id, '/run'));
        if (json) return terminal.object(run);
        terminal.answer(printable(run.conv === null ? `${run.reason}` : `It runs in ${run.conv}.`));
      }),
    );
}

function addScheduleRm(schedule: Command, terminal: Terminal): void {
  schedule
    .command('rm')
    .summary('delete one')
    .description('Delete a schedule and the record of its runs. Their conversations stay.')
    .argument('<schedule>')
    .addHelpText('after', examples('meshd schedule rm sched-0123456789abcdef'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const removed = await client.send<ScheduleDeleted>('DELETE', schedulePath(id));
        if (json) terminal.object(removed);
        else terminal.answer(printable(`Deleted ${removed.deleted}.`));
      }),
    );
}

export function addSchedule(program: Command, terminal: Terminal): void {
  const schedule = program
    .command('schedule')
    .summary('what members do at set times')
    .description('What members do at set times, or once a task of the roadmap is done.');

  addScheduleLs(schedule, terminal);
  addScheduleAdd(schedule, terminal);
  addScheduleShow(schedule, terminal);
  addPausing(schedule, terminal, 'pause');
  addPausing(schedule, terminal, 'resume');
  addScheduleRun(schedule, terminal);
  addScheduleRm(schedule, terminal);
}
