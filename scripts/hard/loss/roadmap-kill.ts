/**
 * Kills the daemon at each step of the roadmap's queue: after a task was handed out, while a member that the task's
 * member asks works, before the answer, and while the check runs. Three tasks wait for one another, and the first check of each fails. After every kill the next daemon goes on
 * by itself. At the end each task is done, no turn is open, the file differs from the first one in its marks only, each
 * step of a task was told once in the orchestrator's conversation, and no task had two turns at once. On 127.0.0.1
 * only; no time is judged.
 *
 * `npx tsx scripts/hard/loss/roadmap-kill.ts`
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationList, Turn } from '../../../daemon/contract/conversations.js';
import type { Roadmap } from '../../../daemon/contract/work/roadmap.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';
import type { DrillProject } from '../project.js';

const LIMIT_MS = 60_000;
const FILE = '.mesh/roadmap.md';
const TASKS = ['one', 'two', 'three'];
const ROADMAP = `# Roadmap\n\n${TASKS.map(
  (id, at) => `- [ ] ${id}: Do it @developer\n${at === 0 ? '' : `  after: ${TASKS[at - 1]}\n`}  check: command step\n`,
).join('')}\nWords of the operator.\n`;

/** Where the daemon is killed. Each waits in a program that says so in a file and goes on when another one exists. */
const STEPS = ['hand-out', 'asked member', 'answer', 'check'] as const;
type Step = (typeof STEPS)[number];
const getFile = (step: Step) => step.replace(' ', '-');

/** A program that stands still at a step until the drill lets it go on. */
const stand = (folder: string, step: Step) =>
  `touch ${join(folder, `at-${getFile(step)}`)}; while test ! -e ${join(folder, `go-${getFile(step)}`)}; do sleep 0.02; done`;

/** The steps of the member: it works, asks another member, and answers. */
function scenario(folder: string): object {
  const wait = (step: Step) => [
    { touch: join(folder, `at-${getFile(step)}`) },
    { until: join(folder, `go-${getFile(step)}`) },
  ];
  return {
    when: [
      { says: 'What does it need?', steps: [...wait('asked member'), { text: 'A lamp.' }] },
      {
        says: 'Task ',
        steps: [
          ...wait('hand-out'),
          { call: { name: 'ask_member', input: { member: 'consultant', text: 'What does it need?' } } },
          ...wait('answer'),
          { text: 'It is done.' },
        ],
      },
    ],
    steps: [{ text: 'Nobody asked.' }],
  };
}

const view = (daemon: DaemonProcess) => daemon.call<Roadmap>('GET', '/roadmap');

async function listTurns(daemon: DaemonProcess): Promise<(Turn & { task: string | undefined })[]> {
  const { conversations } = await daemon.call<ConversationList>('GET', '/conversations?limit=200');
  const all: (Turn & { task: string | undefined })[] = [];
  for (const { conv, title, member } of conversations) {
    if (member === 'roadmap-orchestrator') continue;
    const task = member === 'developer' ? title.split(':')[0] : undefined;
    for (const turn of (await daemon.transcript(conv)).turns) all.push({ ...turn, task });
  }
  return all;
}

/** Returns what was lost, given twice or left open. */
async function getFaults(project: DrillProject, daemon: DaemonProcess): Promise<string[]> {
  const faults: string[] = [];
  const text = readFileSync(join(project.root, FILE), 'utf8');
  if (text !== ROADMAP.replaceAll('[ ]', '[x]')) faults.push(`the file is ${JSON.stringify(text)}`);
  const { conv, tasks } = await view(daemon);
  for (const { id, state } of tasks) if (state !== 'done') faults.push(`${id} is ${state}`);
  const turns = await listTurns(daemon);
  for (const { turn, state } of turns) if (state !== 'ended') faults.push(`${turn} is ${state}`);
  for (const id of TASKS) {
    const own = turns.filter(({ task }) => task === id).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    for (const [at, { finished_at }] of own.slice(0, -1).entries())
      if (finished_at === null || finished_at > (own[at + 1]?.created_at ?? ''))
        faults.push(`${id} had two turns at once`);
  }
  if (conv === null) return [...faults, 'the run has no conversation'];
  const told = (await daemon.transcript(conv)).messages.map((message) => message.text);
  const count = (words: string) => told.filter((one) => one.includes(words)).length;
  for (const id of TASKS) {
    const own = turns.filter(({ task }) => task === id);
    const answered = own.filter(({ outcome }) => outcome === 'answered').length;
    const cut = own.length - answered;
    const is = [count(`\`${id}\` is done`), count(`\`${id}\` was cut off`), count(`\`${id}\` was given to`)];
    const should = [1, cut, cut + 1];
    if (is.join() !== should.join()) faults.push(`of ${id} was told ${is.join()}, not ${should.join()}`);
  }
  return faults;
}

async function round(drill: Drill, number: number): Promise<void> {
  const project = drill.project({ 'README.md': '# Lamp\n', [FILE]: ROADMAP });
  const folder = project.folder('steps');
  project.put('scenario.json', JSON.stringify(scenario(folder)));
  const environment = project.standIns('scenario.json');
  const at = (step: Step) => existsSync(join(folder, `at-${getFile(step)}`));
  let daemon = await project.start(environment);
  // The first check of each task fails: it counts in a file how often it ran.
  const command = `${stand(folder, 'check')}; n=$(cat steps/n 2>/dev/null || echo 0); echo $((n + 1)) > steps/n; test $((n % 2)) = 1`;
  await daemon.call('PUT', '/roadmap/checks/step', { command });
  await daemon.call('POST', '/roadmap/run', {});
  let killed = 0;
  for (const step of STEPS) {
    await until(
      `the queue is at ${step}`,
      LIMIT_MS,
      () => at(step),
      (is) => is,
    );
    await daemon.kill();
    killed += 1;
    daemon = await project.start(environment);
    writeFileSync(join(folder, `go-${getFile(step)}`), '');
  }
  const end = await until(
    'the run has ended',
    LIMIT_MS,
    () => view(daemon),
    ({ running }) => !running,
  );
  const faults = await getFaults(project, daemon);
  const left = readdirSync(join(project.root, '.mesh')).filter((name) => name.includes('.tmp'));
  if (left.length > 0) faults.push(`left behind: ${left.join()}`);
  drill.none(`round ${number}`, 'faults', faults, `${killed} kills, ${end.tasks.length} tasks done`);
}

await runDrill('roadmap-kill', async (drill) => {
  for (let number = 1; number <= drill.bound('rounds'); number += 1) await round(drill, number);
});
