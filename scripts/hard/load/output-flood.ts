/**
 * Agent programs that output up to a gigabyte: in lines, in one endless line, in invalid UTF-8, on standard error, as
 * text of an answer, and as tool uses. Each turn must end with one outcome through the daemon's API, the memory of the
 * daemon must not grow, and no process of the program may remain. Takes a minute. Linux only.
 *
 * `npx tsx scripts/hard/load/output-flood.ts`
 */
import type { Turn } from '../../../daemon/contract/conversations.js';
import { type DaemonProcess, EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import { STAND_INS, type StandIn } from '../project.js';

const GROWTH_MAX_MB = 30;
const DEADLINE_S = 60;
const OVER_MAX_S = 6;
/** Turns before the measurement, after which everything that a turn needs is loaded. */
const WARM_TURNS = 12;
/** Time in which the daemon must release the memory that it used. */
const SETTLING_MS = 1_000;
const SAMPLE_MS = 10;

const MEMBER = `---
client: auto
tools: [read]
limits: {turns: 5, minutes: ${DEADLINE_S / 60}}
---

You answer in one sentence.
`;
/** A thousand characters, in words as long as the chunks of a model's stream. */
const WORDS = 'the-lamp-is-lit-at-dusk-and-put-out-at-dawn-as-it-ever-was '.repeat(17).slice(0, 1_000);
const USE = { tool: { name: 'Read', title: 'Read', kind: 'read', input: { file_path: 'README.md' }, output: 'x' } };
/**
 * The turns before the measurement: a tool use and the longest permitted answer. They let the young part of the heap
 * grow to what permitted work needs, which is the base for output without end.
 */
const LONGEST = [USE, { repeat: { times: 1_000, steps: [{ text: WORDS }] } }];

const listCases = (bytes: number): Readonly<Record<string, readonly unknown[]>> => ({
  'in lines': [{ flood: bytes }],
  'in one line': [{ noNewline: bytes }],
  'that is no UTF-8': [{ invalidUtf8: bytes }],
  'of errors': [{ floodStderr: bytes }],
  'of answer': [{ repeat: { times: bytes / WORDS.length, steps: [{ text: WORDS }] } }],
  'in uses of tools': [{ repeat: { times: bytes / 1_000, steps: [USE] } }],
});

/** Returns the peak resident memory of the daemon in bytes while `work` runs. */
async function peakDuring(daemon: DaemonProcess, work: () => Promise<void>): Promise<number> {
  let peak = daemon.residentBytes();
  const sampling = setInterval(() => {
    peak = Math.max(peak, daemon.residentBytes());
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  return peak;
}

async function runTurn(
  daemon: DaemonProcess,
  client: StandIn,
): Promise<{ turn: Turn; seconds: number; stored: number }> {
  const { conv } = await daemon.converse({ member: 'flooded', client });
  const feed = await EventFeed.open(daemon);
  const startedMs = performance.now();
  const id = await daemon.post(conv, 'What is this?');
  await feed.untilEnded(id);
  const seconds = (performance.now() - startedMs) / 1_000;
  feed.close();
  const list = await daemon.transcript(conv);
  const turn = list.turns.find((one) => one.turn === id);
  if (!turn) throw new Error(`The transcript of ${conv} has no turn ${id}.`);
  return { turn, seconds, stored: JSON.stringify(list.messages).length };
}

/** A daemon that has done what is permitted, and the project whose programs it runs. */
interface Warm {
  project: ReturnType<Drill['project']>;
  daemon: DaemonProcess;
  setScript: (steps: readonly unknown[]) => void;
}

async function warmUp(drill: Drill, client: StandIn): Promise<Warm> {
  const project = drill.project({ 'README.md': '# Lamp\n', '.mesh/team/flooded.md': MEMBER });
  const setScript = (steps: readonly unknown[]) => project.put('scenario.json', JSON.stringify({ steps }));
  setScript(LONGEST);
  const daemon = await project.start(project.standIns('scenario.json'));
  for (let i = 0; i < WARM_TURNS; i += 1) await runTurn(daemon, client);
  return { project, daemon, setScript };
}

async function flood(
  drill: Drill,
  client: StandIn,
  subject: string,
  warm: Warm,
  steps: readonly unknown[],
): Promise<void> {
  const { project, daemon, setScript } = warm;
  const before = daemon.residentBytes();
  setScript(steps);
  let outcome: Awaited<ReturnType<typeof runTurn>> | undefined;
  const peak = await peakDuring(daemon, async () => {
    outcome = await runTurn(daemon, client);
    await until(
      'nothing of the program left',
      10_000,
      () => [...project.programs(), ...project.journalled()],
      (left) => left.length === 0,
    );
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
  });
  if (!outcome) throw new Error('The turn has no outcome.');
  const { turn, seconds, stored } = outcome;
  const growth = (bytes: number) => (bytes - before) / 1_000_000;
  const after = daemon.residentBytes();
  drill.holds(
    `${client}, ${subject}`,
    `${turn.outcome} (${/output_limit/.exec(turn.reason ?? '')?.[0] ?? turn.code}) in ${seconds.toFixed(1)} s; ` +
      `memory ${(before / 1e6).toFixed(0)} MB, ${signed(growth(peak))} at most, ${signed(growth(after))} after; ` +
      `${(stored / 1e6).toFixed(2)} MB kept; no process left`,
    turn.outcome === 'failed' &&
      /output_limit/.test(turn.reason ?? '') &&
      seconds < DEADLINE_S + OVER_MAX_S &&
      Math.max(growth(peak), growth(after)) < GROWTH_MAX_MB,
  );
}

const signed = (megabytes: number) => `${megabytes < 0 ? '' : '+'}${megabytes.toFixed(1)} MB`;

await runDrill('output-flood', async (drill) => {
  if (!isLinux(drill, 'memory is read from /proc')) return;
  const megabytes = drill.bound('megabytes');
  for (const client of (Object.keys(STAND_INS) as StandIn[]).slice(0, drill.bound('programs'))) {
    const warm = await warmUp(drill, client);
    for (const [subject, steps] of Object.entries(listCases(megabytes * 1_000_000)))
      await flood(drill, client, `${megabytes} MB ${subject}`, warm, steps);
    await warm.daemon.stop();
  }
});
