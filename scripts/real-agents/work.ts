import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation, MessageAccepted } from '../../daemon/contract/conversations.js';
import type { Budget } from '../../daemon/contract/work/budgets.js';
import type { Changes, CheckpointList, FileDiff, Rewound } from '../../daemon/contract/work/changes.js';
import type { Merged, MergePreview } from '../../daemon/contract/work/reviews.js';
import type { Roadmap } from '../../daemon/contract/work/roadmap.js';
import type { Schedule, ScheduleRun } from '../../daemon/contract/work/schedules.js';
import { getOutcome, MEMBER, type Setting, type Subject } from './trial.js';
import { until } from './until.js';

/** A conversation in a worktree, and the file that its agent makes there. */
interface Work extends Setting, Subject {
  conv: string;
  file: string;
  folder: string;
}

const read = (folder: string, file: string) =>
  existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : undefined;

/** What of the user's repository no agent may change: branch, commit, index and files. */
function ownState(project: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' });
  return [
    git('symbolic-ref', 'HEAD'),
    git('rev-parse', 'HEAD'),
    git('ls-files', '--stage'),
    git('status', '--porcelain', '-uall', '--', ':!.mesh'),
  ].join('\n');
}

/** Runs all checks of one agent program on work in a worktree, and on what runs without a person. */
export async function tryWork(setting: Setting, subject: Subject): Promise<void> {
  const { daemon, project } = setting;
  const { client } = subject;
  console.log(`\n${client}, work:`);
  await daemon.call('PATCH', `/team/${MEMBER}`, { client });
  const { conv } = await daemon.converse({ member: MEMBER, client, isolation: 'worktree' });
  const work: Work = { ...setting, ...subject, conv, file: `work-of-${client}.txt`, folder: project };
  const before = ownState(project);
  const first = await checkWorktree(work, before);
  const second = await checkReview(work, first);
  await checkRewind(work, first);
  await checkFork(work, first);
  setting.check('all of it leaves the project as it was', ownState(project) === before, ownState(project));
  await checkMerge(work, second);
  await checkBudget(work);
  await checkSchedule(work);
  await checkRoadmap(work);
}

async function checkWorktree(work: Work, before: string): Promise<string> {
  const { daemon, dashboard, endpoint, check, runs, conv, file, project } = work;
  endpoint.steps = [{ text: 'I make it.', tool: runs(`printf 'one\\ntwo\\n' > ${file}`) }, { text: 'It is there.' }];
  const shown = await dashboard.talk(conv, 'Make the file.', 'allow_once');
  work.folder = (await daemon.call<Conversation>('GET', `/conversations/${conv}`)).folder;
  check(
    'makes a file in a worktree of its own',
    shown.turn.outcome === 'answered' && work.folder !== project && read(work.folder, file) === 'one\ntwo\n',
    `${getOutcome(shown)}, ${work.folder}`,
  );
  check(
    'does not touch branch, index and files of the project',
    !existsSync(join(project, file)) && ownState(project) === before,
    ownState(project),
  );
  const changes = await until(
    () => daemon.call<Changes>('GET', `/conversations/${conv}/changes`),
    ({ count }) => count > 0,
  );
  const [changed] = changes.files;
  check(
    'has its change listed',
    changes.count === 1 && changed?.path === file && changed.status === 'added' && changed.additions === 2,
    JSON.stringify(changes),
  );
  return shown.turn.turn;
}

async function checkReview({ daemon, dashboard, endpoint, check, runs, ...work }: Work, first: string) {
  const { conv, file, folder } = work;
  const base = `/conversations/${conv}`;
  const text = 'Say THREE instead of two.';
  const comment = { path: file, side: 'new', start_line: 2, end_line: 2, quote: '+two', text };
  await daemon.call('POST', `${base}/review/comments`, comment);
  endpoint.requests.length = 0;
  endpoint.steps = [{ text: 'I mend it.', tool: runs(`printf 'one\\nTHREE\\n' > ${file}`) }, { text: 'Mended.' }];
  const send = async () => (await daemon.call<MessageAccepted>('POST', `${base}/review/send`, {})).turn;
  const mended = await dashboard.follow(conv, send, 'allow_once');
  check(
    'is sent a comment with its file and the quoted line',
    endpoint.requests.some((sent) => sent.includes(text) && sent.includes(file) && sent.includes('+two')),
    'the comment did not reach the model',
  );
  check(
    'mends what the comment names',
    mended.turn.outcome === 'answered' && read(folder, file) === 'one\nTHREE\n',
    `${getOutcome(mended)}, ${read(folder, file)}`,
  );
  const second = mended.turn.turn;
  const { checkpoints } = await until(
    () => daemon.call<CheckpointList>('GET', `${base}/checkpoints`),
    (list) => list.checkpoints.some((one) => one.checkpoint === second),
  );
  const names = checkpoints.map((one) => one.checkpoint);
  check('has a checkpoint of each turn', names.includes(first) && names.includes(second), names.join());
  const query = `path=${file}&from=${first}&to=${second}`;
  const { patch } = await daemon.call<FileDiff>('GET', `${base}/changes/file?${query}`);
  check(
    'has what the second turn changed shown alone',
    patch.includes('-two') && patch.includes('+THREE') && !patch.includes('+one'),
    patch,
  );
  return second;
}

async function checkRewind({ daemon, check, conv, file, folder }: Work, first: string): Promise<void> {
  const rewind = (checkpoint: string) =>
    daemon.call<Rewound>('POST', `/conversations/${conv}/rewind`, { checkpoint, what: 'files' });
  const { kept } = await rewind(first);
  check('has its files taken back to the first turn', read(folder, file) === 'one\ntwo\n', `${read(folder, file)}`);
  if (kept) await rewind(kept.checkpoint);
  check(
    'has that taken back with the checkpoint that was kept',
    kept !== null && read(folder, file) === 'one\nTHREE\n',
    `${JSON.stringify(kept)}, ${read(folder, file)}`,
  );
}

async function checkFork({ daemon, dashboard, endpoint, check, runs, ...work }: Work, first: string): Promise<void> {
  const { conv, file, folder } = work;
  const fork = await daemon.call<Conversation>('POST', `/conversations/${conv}/fork`, { checkpoint: first });
  endpoint.requests.length = 0;
  endpoint.steps = [{ text: 'I add.', tool: runs(`printf 'of the fork\\n' >> ${file}`) }, { text: 'Added.' }];
  const shown = await dashboard.talk(fork.conv, 'Go on in the fork.', 'allow_once');
  const at = (await daemon.call<Conversation>('GET', `/conversations/${fork.conv}`)).folder;
  check(
    'goes on from the first turn in a fork, with files of its own',
    shown.turn.outcome === 'answered' &&
      at !== folder &&
      read(at, file) === 'one\ntwo\nof the fork\n' &&
      read(folder, file) === 'one\nTHREE\n',
    `${getOutcome(shown)}, ${at}, ${read(at, file)}`,
  );
  const sent = endpoint.requests.join('\n');
  check(
    'knows in the fork what was said until then',
    sent.includes('It is there.') && !sent.includes('Mended.'),
    'the model was not told, or of what was said later, too',
  );
}

async function checkMerge({ daemon, check, conv, file, project }: Work, second: string): Promise<void> {
  const path = `/conversations/${conv}/merge`;
  const { into, head, methods, problem } = await daemon.call<MergePreview>('GET', `${path}?into=main`);
  const isPossible = into === 'main' && methods.includes('squash');
  check('can be merged', isPossible, `${second}: ${problem}`);
  if (!isPossible) return;
  await daemon.call<Merged>('POST', path, { into, head, method: 'squash', message: 'Add the file' });
  const shown = execFileSync('git', ['show', `main:${file}`], { cwd: project, encoding: 'utf8' });
  check('is merged into main', shown === 'one\nTHREE\n', shown);
}

async function checkBudget({ daemon, dashboard, endpoint, check, runs, client, budget }: Work): Promise<void> {
  const { conv } = await daemon.converse({ member: MEMBER, client, isolation: 'worktree' });
  const path = `/budgets/conversation:${conv}`;
  await daemon.call<Budget>('PUT', path, budget);
  endpoint.steps = [
    { text: 'I make one.', tool: runs('touch budget-one') },
    { text: 'I make two.', tool: runs('touch budget-two; sleep 300') },
    { text: 'I make three.', tool: runs('touch budget-three') },
    { text: 'All are made.' },
  ];
  const ended = await dashboard.talk(conv, 'Make three.', 'allow_once');
  const { folder } = await daemon.call<Conversation>('GET', `/conversations/${conv}`);
  check(
    'is ended when its budget is used up, with what was done so far',
    ended.turn.code === 'budget_exceeded' &&
      existsSync(join(folder, 'budget-one')) &&
      !existsSync(join(folder, 'budget-three')) &&
      (ended.answer?.text.includes('I make one.') ?? false),
    `${getOutcome(ended)} ${ended.turn.code} ${JSON.stringify(ended.answer?.text)}`,
  );
  await daemon.call<Budget>('POST', `${path}/raise`, { limits: { tokens: 1_000_000, minutes: 60 } });
  endpoint.steps = [{ text: 'On I go.' }];
  const raised = await dashboard.talk(conv, 'Go on.', 'allow_once');
  check(
    'goes on when it is raised',
    raised.turn.outcome === 'answered' && raised.answer?.text === 'On I go.',
    getOutcome(raised),
  );
}

async function checkSchedule({ daemon, endpoint, check, client }: Work): Promise<void> {
  endpoint.steps = [{ text: 'Nothing broke overnight.' }];
  const schedule = { member: MEMBER, text: 'Look at what broke.', cron: '0 4 1 1 *', title: `Look with ${client}` };
  const { id } = await daemon.call<Schedule>('POST', '/schedules', schedule);
  const { run } = await daemon.call<ScheduleRun>('POST', `/schedules/${id}/run`, {});
  const { last_runs } = await until(
    () => daemon.call<Schedule>('GET', `/schedules/${id}`),
    (one) => one.last_runs[0]?.state !== 'running' && one.last_runs[0]?.state !== 'waiting',
  );
  const made = last_runs.find((one) => one.run === run);
  const told = made?.conv ? await daemon.transcript(made.conv) : undefined;
  check(
    'answers the run of a schedule',
    made?.outcome === 'answered' &&
      told?.turns[0]?.client === client &&
      told.messages.some(({ text }) => text === 'Nothing broke overnight.'),
    JSON.stringify(made),
  );
  await daemon.call('DELETE', `/schedules/${id}`);
}

async function checkRoadmap({ daemon, endpoint, check, client, project, home }: Work): Promise<void> {
  const ids = ['grammar', 'parser', 'ship'].map((id) => `${id}-${client}`);
  const lines = ids.map((id, at) => {
    const after = at === 0 ? '' : `  after: ${ids[at - 1]}\n`;
    return `- [ ] ${id}: Do it @${MEMBER}\n${after}  check: command ${at === 1 ? 'fails-once' : 'readme'}\n`;
  });
  writeFileSync(join(project, '.mesh/roadmap.md'), lines.join(''));
  const mark = join(home, `mended-${client}`);
  const failsOnce = `test -e ${mark} || { touch ${mark}; echo NO-PARSER-YET; exit 3; }`;
  await daemon.call('PUT', '/roadmap/checks/readme', { command: 'test -e README.md' });
  await daemon.call('PUT', '/roadmap/checks/fails-once', { command: failsOnce });
  endpoint.steps = [{ text: 'It is finished.' }];
  endpoint.requests.length = 0;
  await daemon.call('POST', '/roadmap/run', {});
  const { tasks, conv } = await until(
    () => daemon.call<Roadmap>('GET', '/roadmap'),
    ({ running, tasks: all }) => !running || all.some(({ state }) => state === 'blocked'),
  );
  check(
    'finishes a queue of three dependent tasks',
    tasks.length === 3 && tasks.every(({ state }) => state === 'done'),
    tasks.map(({ id, state, reason }) => `${id} ${state} ${reason ?? ''}`).join(),
  );
  const own = tasks[1]?.conv;
  const turns = own ? (await daemon.transcript(own)).turns : [];
  check(
    'works a second time on the task whose check failed, told of its output',
    turns.length === 2 &&
      turns.every((turn) => turn.client === client && turn.outcome === 'answered') &&
      endpoint.requests.some((sent) => sent.includes('NO-PARSER-YET')),
    `${turns.length} turns`,
  );
  const told = conv ? (await daemon.transcript(conv)).messages.map(({ text }) => text).join('\n') : '';
  check(
    'has its two attempts told in the conversation of the run',
    told.includes(`\`${ids[1]}\`, attempt 1: its check failed`) && told.includes(`\`${ids[1]}\` is done`),
    told,
  );
}
