import { type Command, Option } from 'commander';
import type { CheckCommands, Roadmap, RoadmapTask, RunRoadmap, TaskPatch } from '../../contract/work/roadmap.js';
import { action, type Common, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { STATES_TO_SET } from './conversation-format.js';

interface SetOptions {
  state?: NonNullable<TaskPatch['state']>;
  reason?: string;
  text?: string;
  /** False for `--no-member`. */
  member?: string | false;
  after?: string;
  /** False for `--no-check`. */
  check?: string | false;
}

/** The state; of a running task also its step, and the attempt after the first. */
const formatState = ({ state, step, attempt }: RoadmapTask) =>
  [state, step === 'working' ? null : step, attempt !== null && attempt > 1 ? `attempt ${attempt}` : null]
    .filter((word) => word !== null)
    .join(', ');

function row(task: RoadmapTask): string[] {
  const { id, member, conv, text, reason, after, waits_for, check } = task;
  const order = after.length === 0 ? '' : ` [after ${after.join(', ')}]`;
  const waits = waits_for.length === 0 ? order : ` [waits for ${waits_for.join(', ')}]`;
  const judged = check === null ? '' : ` [check: ${check}]`;
  return [
    id,
    formatState(task),
    member ?? '',
    conv ?? '',
    `${text}${reason === null ? '' : ` (${reason})`}${waits}${judged}`,
  ];
}

/** The rows of all tasks, with the heading of each when the file has tasks under several. */
function table(tasks: readonly RoadmapTask[]): [rows: string[][], heads: string[]] {
  const isGrouped = new Set(tasks.map(({ heading }) => heading)).size > 1;
  const heads = ['TASK', 'STATE', 'MEMBER', 'CONVERSATION', 'WHAT'];
  if (!isGrouped) return [tasks.map(row), heads];
  return [tasks.map((task) => [task.heading ?? '', ...row(task)]), ['UNDER', ...heads]];
}

function noteProblems(terminal: Terminal, path: string, problems: readonly string[]): void {
  for (const problem of problems) terminal.note(printable(`${path}: ${problem}`));
}

function showTasks(terminal: Terminal, { path, tasks, problems }: Roadmap): void {
  terminal.table(...table(tasks));
  if (tasks.length === 0) terminal.note(`No tasks: write them to ${path} as \`- [ ] id: text @member\`.`);
  noteProblems(terminal, path, problems);
}

const listRunning = ({ tasks }: Roadmap) => tasks.filter(({ state }) => state === 'running').map(({ id }) => id);
const names = (ids: readonly string[]) => (ids.length === 0 ? 'none' : ids.join(', '));

function addRoadmapLs(roadmap: Command, terminal: Terminal): void {
  roadmap
    .command('ls')
    .summary('list the tasks')
    .description('List the tasks in the order of the file.')
    .option('--jsonl', 'one JSON object a line')
    .addHelpText(
      'after',
      examples('meshd roadmap ls', 'meshd roadmap ls --jsonl | jq -r \'select(.state == "blocked").id\''),
    )
    .action(
      action<{ jsonl?: boolean }, []>(terminal, async ({ root, json, jsonl }) => {
        const { client } = await getDaemon(root);
        const view = await client.get<Roadmap>('/roadmap');
        if (json) return terminal.object(view);
        if (jsonl) return view.tasks.forEach((task) => void terminal.record(task));
        showTasks(terminal, view);
        if (view.running) terminal.note(`Tasks are running, ${view.limit} in parallel: \`meshd roadmap stop\`.`);
      }),
    );
}

function addRoadmapRun(roadmap: Command, terminal: Terminal): void {
  roadmap
    .command('run')
    .summary('give open tasks to their members')
    .description(
      'Give open tasks to their members in order, until none is ready. Returns at once. A task waits until ' +
        'those in its `after:` line are done. It is done when what its `check:` line names has passed; after ' +
        'three failures it is blocked with what was said. Without a check, you decide: `meshd roadmap set <task> ' +
        '--state done`.',
    )
    .option('--limit <count>', 'parallel tasks (default: 1)', parseCount)
    .addHelpText('after', examples('meshd roadmap run', 'meshd roadmap run --limit 2'))
    .action(
      action<{ limit?: number }, []>(terminal, async ({ root, json, limit }) => {
        const { client } = await getDaemon(root);
        const body: RunRoadmap = limit === undefined ? {} : { limit };
        const view = await client.send<Roadmap>('POST', '/roadmap/run', { body });
        if (json) return terminal.object(view);
        if (view.running)
          terminal.answer(`Running, ${view.limit} in parallel. In progress: ${names(listRunning(view))}.`);
        else terminal.answer('No task is open.');
        noteProblems(terminal, view.path, view.problems);
      }),
    );
}

function addRoadmapStop(roadmap: Command, terminal: Terminal): void {
  roadmap
    .command('stop')
    .summary('stop giving out tasks')
    .description('Stop giving out tasks. Running tasks are finished.')
    .addHelpText('after', examples('meshd roadmap stop'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const { client } = await getDaemon(root);
        const view = await client.send<Roadmap>('POST', '/roadmap/stop');
        if (json) terminal.object(view);
        else terminal.answer(`Stopped. In progress: ${names(listRunning(view))}.`);
      }),
    );
}

async function changeTask(
  terminal: Terminal,
  { root, json, state, reason, text, member, after, check }: SetOptions & Common,
  id: string,
): Promise<void> {
  const patch: TaskPatch = {
    ...(state === undefined ? {} : { state }),
    ...(reason === undefined ? {} : { reason }),
    ...(text === undefined ? {} : { text }),
    ...(member === undefined ? {} : { member: member === false ? null : member }),
    ...(after === undefined ? {} : { after: after.split(/[\s,]+/).filter((one) => one !== '') }),
    ...(check === undefined ? {} : { check: check === false ? null : check }),
  };
  if (Object.keys(patch).length === 0) {
    throw new CommandError(
      EXIT.usage,
      'Say what to change: --state, --reason, --text, --member, --no-member, --after, --check or --no-check.',
      'bad_request',
    );
  }
  const { client } = await getDaemon(root);
  const view = await client.send<Roadmap>('PATCH', `/roadmap/${encodeURIComponent(id)}`, { body: patch });
  const task = view.tasks.find((one) => one.id === id);
  if (reason && task?.reason === null) terminal.note('Only a blocked task keeps a reason: it was left out.');
  if (json) terminal.object(task ?? view);
  else if (task) terminal.table([row(task)]);
}

function addRoadmapSet(roadmap: Command, terminal: Terminal): void {
  roadmap
    .command('set')
    .summary('change one task')
    .description('Change one task in the file; every other byte of it stays.')
    .argument('<task>')
    .addOption(new Option('--state <state>', 'its state').choices(STATES_TO_SET))
    .option('--reason <words>', 'why it is blocked')
    .option('--text <words>', 'its text')
    .option('--member <id>', 'its member')
    .option('--no-member', 'nobody’s')
    .option('--after <tasks>', 'the tasks that must be done before it, with commas; empty for none')
    .option('--check <check>', 'what must pass: "command <name>", "test <member>" or "review @<member>"')
    .option('--no-check', 'nothing but your own look')
    .addHelpText(
      'after',
      examples(
        'meshd roadmap set parser --state done',
        'meshd roadmap set parser --after grammar --check "command test"',
        'meshd roadmap set parser --state blocked --reason "Waits for the grammar"',
      ),
    )
    .action(action<SetOptions, [string]>(terminal, (options, id) => changeTask(terminal, options, id)));
}

function showCommands(terminal: Terminal, { commands }: CheckCommands): void {
  terminal.table(
    commands.map(({ name, command }) => [name, command]),
    ['NAME', 'COMMAND'],
  );
  if (commands.length === 0) terminal.note('No check commands: `meshd roadmap checks set test "npm test"`.');
}

/** The operator's commands: a task's `check: command <name>` runs the one of that name. */
function addRoadmapChecks(roadmap: Command, terminal: Terminal): void {
  const checks = roadmap
    .command('checks')
    .summary('the commands that tasks are checked with')
    .description(
      'Commands that a task’s `check: command <name>` may run, where the task was worked on. They stay on this ' +
        'machine: the roadmap names a command and never holds one.',
    );
  checks
    .command('ls')
    .summary('list them')
    .description('List the commands by name.')
    .addHelpText('after', examples('meshd roadmap checks ls'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const { client } = await getDaemon(root);
        const found = await client.get<CheckCommands>('/roadmap/checks');
        if (json) terminal.object(found);
        else showCommands(terminal, found);
      }),
    );
  checks
    .command('set')
    .summary('set one')
    .description('Set the command of a name, a line for the shell.')
    .argument('<name>', 'what a task’s `check: command <name>` says')
    .argument('<command>', 'a line for the shell')
    .addHelpText('after', examples('meshd roadmap checks set test "npm test"'))
    .action(
      action<object, [string, string]>(terminal, async ({ root, json }, name, command) => {
        const { client } = await getDaemon(root);
        const found = await client.send<CheckCommands>('PUT', checkPath(name), { body: { command } });
        if (json) terminal.object(found);
        else showCommands(terminal, found);
      }),
    );
  checks
    .command('rm')
    .summary('remove one')
    .description('Remove the command of a name. Tasks that name it are blocked when they are checked.')
    .argument('<name>', 'what a task’s `check: command <name>` says')
    .addHelpText('after', examples('meshd roadmap checks rm test'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, name) => {
        const { client } = await getDaemon(root);
        const found = await client.send<CheckCommands>('DELETE', checkPath(name));
        if (json) terminal.object(found);
        else terminal.answer(printable(`Removed ${name}.`));
      }),
    );
}

const checkPath = (name: string) => `/roadmap/checks/${encodeURIComponent(name)}`;

export function addRoadmap(program: Command, terminal: Terminal): void {
  const roadmap = program
    .command('roadmap')
    .summary('the tasks of .mesh/roadmap.md')
    .description('The tasks of .mesh/roadmap.md, and running them.');

  addRoadmapLs(roadmap, terminal);
  addRoadmapRun(roadmap, terminal);
  addRoadmapStop(roadmap, terminal);
  addRoadmapSet(roadmap, terminal);
  addRoadmapChecks(roadmap, terminal);
}
