/**
 * A hundred thousand records of every kind are acknowledged in one run of a daemon, including tokens, revocations and
 * used signatures. Then it is killed with four asks running. It must be ready again within a second. The asks must have
 * failed with `daemon_restarted`, none of their programs may live five seconds later, and the records that are checked
 * must exist. Takes a minute. Linux only.
 *
 * `npx tsx scripts/hard/loss/restart.ts --tier full [--records 100000]`
 */
import type { AskAccepted, AskRecord } from '../../../daemon/contract/asks.js';
import type { DaemonProcess, Environment } from '../../../daemon/testing/processes/daemon-process.js';
import { isLinux, runDrill, until } from '../drill.js';
import type { DrillProject } from '../project.js';
import { Acknowledged } from './kill9/acknowledged.js';
import { fill } from './kill9/fill.js';
import { findLost } from './kill9/lost.js';
import { moveTo, newWorld, writeUntil } from './kill9/writers.js';

const READY_MAX_S = 1;
const ORPHANS_MAX_MS = 5_000;
const LIMIT_MS = 30_000;
/** Number of acknowledged changes of every kind, including deletions, revocations and replacements. */
const MIXED = 3_000;
const ASKS = 4;
const STARTS = 5;
const MEMBER = {
  id: 'thinker',
  name: 'Thinker',
  description: 'Thinks.',
  exposure: 'external',
  client: 'acp',
  body: 'You answer.',
};
const SCENARIO = { steps: [{ ignoreSigterm: true }, { text: 'Working. ' }, { hang: true }] };

/** Sends asks to the member and returns their poll addresses. */
async function asked(daemon: DaemonProcess, headers: Readonly<Record<string, string>>): Promise<string[]> {
  const polls: string[] = [];
  for (let n = 0; n < ASKS; n += 1) {
    polls.push(
      (await daemon.call<AskAccepted>('POST', `/team/${MEMBER.id}/ask`, { text: `What is ${n}?` }, headers)).poll,
    );
  }
  return polls;
}

/** What repeated kills and starts showed. */
interface Restarts {
  /** The daemon of the last start. */
  daemon: DaemonProcess;
  startSeconds: number[];
  /** Milliseconds after the first start until no agent program was left. */
  orphansMs: number;
}

/** Kills and starts the daemon several times. `programs` must be gone after each start. */
async function restart(
  project: DrillProject,
  first: DaemonProcess,
  environment: Environment,
  programs: readonly number[],
): Promise<Restarts> {
  const startSeconds: number[] = [];
  let daemon = first;
  let orphansMs = 0;
  for (let number = 0; number < STARTS; number += 1) {
    await daemon.kill();
    const startedMs = performance.now();
    daemon = await project.start(environment);
    const readyMs = performance.now();
    startSeconds.push((readyMs - startedMs) / 1_000);
    await until(
      'no orphan',
      LIMIT_MS,
      () => project.programs(),
      (pids) => !pids.some((pid) => programs.includes(pid)),
    );
    orphansMs ||= performance.now() - readyMs;
  }
  return { daemon, startSeconds, orphansMs };
}

await runDrill('restart', async (drill) => {
  if (!isLinux(drill, 'what a daemon left running is found in /proc')) return;
  const project = drill.project({
    'README.md': '# Lamp\n',
    '.mesh/roadmap.md': '# Roadmap\n\n- [ ] lamp: Light it\n',
    'scenario.json': JSON.stringify(SCENARIO),
  });
  const environment = project.standIns('scenario.json');
  const first = await project.start(environment);
  const known = new Acknowledged();
  const world = newWorld(drill.dice, known);
  await moveTo(first, world);
  await writeUntil(world, () => known.count >= MIXED || world.faults.length > 0);
  await fill(first, drill.bound('records') - known.count, known);

  await first.call('POST', '/team', MEMBER);
  const headers = { authorization: `Bearer ${await first.getToken(MEMBER.id)}` };
  const polls = await asked(first, headers);
  const programs = await until(
    'every ask runs',
    LIMIT_MS,
    () => project.programs(),
    (pids) => pids.length === ASKS,
  );

  const { daemon, startSeconds, orphansMs } = await restart(project, first, environment, programs);
  const records = await Promise.all(polls.map((poll) => daemon.call<AskRecord>('GET', poll, undefined, headers)));
  const others = records.filter(({ status, error }) => status !== 'error' || error?.code !== 'daemon_restarted');
  const looks = drill.dice.shuffled(known.everything()).slice(0, drill.bound('looks'));
  const lost = await findLost(daemon.address, looks);

  drill.measure({
    measure: `ready again after it was killed, with ${known.count} records, the slowest of ${STARTS}`,
    value: Math.max(...startSeconds),
    unit: 's',
    atMost: READY_MAX_S,
    isTime: true,
    said: startSeconds.map((seconds) => seconds.toFixed(2)).join(', '),
  });
  drill.none(
    'asks under way that did not end as `daemon_restarted`',
    'asks',
    others.map((one) => JSON.stringify(one)),
    `of ${ASKS}`,
  );
  drill.measure({
    measure: `the last of ${ASKS} programs is gone after it was ready`,
    value: orphansMs,
    unit: 'ms',
    atMost: ORPHANS_MAX_MS,
  });
  drill.none('records that do not stand', 'records', lost, `of ${looks.length} looked at again`);
  drill.none('sound requests that were refused', 'requests', world.faults);
});
