/**
 * Kills the daemon while four turns run, each with waiting messages: on both kinds of agent programs, which all ignore
 * SIGTERM. Two of them have started processes of their own, inside and outside their process group. Five seconds after
 * the restart none of these processes may live. The four turns must end as `daemon_restarted`. The waiting messages
 * must be sent in order, each once. Takes ten seconds. Linux only.
 *
 * `npx tsx scripts/hard/loss/kill-with-turns.ts`
 */
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import type { StandIn } from '../project.js';

const ORPHANS_MAX_MS = 5_000;
const LIMIT_MS = 30_000;
const WAITING = ['second', 'third', 'fourth'];

const DEAF = [{ ignoreSigterm: true }, { text: 'Working. ' }];
const TURNS: readonly { client: StandIn; steps: readonly unknown[]; processes: number }[] = [
  { client: 'claude-code', steps: DEAF, processes: 1 },
  { client: 'acp', steps: DEAF, processes: 1 },
  { client: 'claude-code', steps: [...DEAF, { fork: { count: 2, deaf: true } }], processes: 3 },
  {
    client: 'acp',
    steps: [...DEAF, { fork: { count: 1, deaf: true } }, { fork: { count: 1, deaf: true, detached: true } }],
    processes: 3,
  },
];
const PROCESSES = TURNS.reduce((sum, { processes }) => sum + processes, 0);

const firstWords = (index: number) => `Work on part ${index}.`;
const SCENARIO = {
  session: 'kept',
  // The answer to a waiting message repeats it, so that the answers show the order too.
  when: [
    ...WAITING.map((word) => ({ says: `\n${word}\n`, steps: [{ text: `Heard ${word}.` }] })),
    ...TURNS.map(({ steps }, index) => ({ says: `\n${firstWords(index)}\n`, steps: [...steps, { hang: true }] })),
  ],
  steps: [{ text: 'Nobody asked.' }],
};

/** Returns what is wrong in the transcript of a conversation whose first turn was killed. */
async function getFault(daemon: DaemonProcess, conv: string, index: number): Promise<string | undefined> {
  const { turns, messages } = await until(
    'every turn ended',
    LIMIT_MS,
    () => daemon.transcript(conv),
    (list) => list.turns.every(({ state }) => state === 'ended'),
  );
  const endings = turns.map(({ outcome, code }) => (outcome === 'failed' ? `failed ${code}` : outcome));
  const said = (role: string) => messages.filter((message) => message.role === role).map(({ text }) => text.trim());
  const differs = (what: string, is: unknown, should: unknown) =>
    JSON.stringify(is) === JSON.stringify(should) ? undefined : `${what} of turn ${index} are ${JSON.stringify(is)}`;
  return (
    differs('endings', endings, ['failed daemon_restarted', ...WAITING.map(() => 'answered')]) ??
    differs('messages', said('user'), [firstWords(index), ...WAITING]) ??
    // A program that resumes its session reports that first, on another line.
    differs(
      'answers',
      said('assistant')
        .slice(-WAITING.length)
        .map((text) => text.split('\n').at(-1)),
      WAITING.map((word) => `Heard ${word}.`),
    )
  );
}

async function round(drill: Drill, number: number): Promise<void> {
  const subject = `round ${number}`;
  const project = drill.project({ 'README.md': '# Lamp\n', 'scenario.json': JSON.stringify(SCENARIO) });
  const environment = project.standIns('scenario.json');
  const first = await project.start(environment);
  const convs: string[] = [];
  for (const [index, { client }] of TURNS.entries()) {
    const { conv } = await first.converse({ member: 'developer', client });
    for (const text of [firstWords(index), ...WAITING]) await first.post(conv, text);
    convs.push(conv);
  }
  const look = () => project.programs();
  const orphans = await until('every program started', LIMIT_MS, look, (pids) => pids.length === PROCESSES);
  // A program that has not said everything yet ends by itself when nobody reads any more.
  for (const conv of convs)
    await until(
      'the program spoke',
      LIMIT_MS,
      () => first.transcript(conv),
      ({ live }) => live?.text.includes('Working.') === true,
    );
  await first.kill();
  const left = look().filter((pid) => orphans.includes(pid)).length;

  const second = await project.start(environment);
  const restartedMs = performance.now();
  await until('no orphan', ORPHANS_MAX_MS, look, (pids) => !pids.some((pid) => orphans.includes(pid)));
  const orphansMs = performance.now() - restartedMs;
  const faults: string[] = [];
  for (const [index, conv] of convs.entries()) faults.push((await getFault(second, conv, index)) ?? '');
  const fault = faults.find((text) => text !== '');
  await until(
    'nothing left',
    LIMIT_MS,
    () => [...look(), ...project.journalled()],
    (rest) => rest.length === 0,
  );
  drill.holds(
    subject,
    `${left} of ${PROCESSES} processes outlived the daemon, gone ${Math.round(orphansMs)} ms after the restart; ` +
      (fault ?? `4 turns daemon_restarted, ${TURNS.length * WAITING.length} waiting messages answered in order`),
    // If the kill left no process behind, the drill has tested nothing.
    left === PROCESSES && fault === undefined,
  );
}

await runDrill('kill-with-turns', async (drill) => {
  if (!isLinux(drill, 'what a daemon left running is found in /proc')) return;
  for (let number = 1; number <= drill.bound('rounds'); number += 1) await round(drill, number);
});
