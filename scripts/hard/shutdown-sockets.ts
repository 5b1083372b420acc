/**
 * The daemon is told to end while five thousand members are connected, some of whom talk. Every socket must be closed with 1001, and the daemon must be gone
 * with exit code 0 within a second and a half of the signal. Exits 1 when one does not hold; is not run where a program may not open so many files.
 * `npx tsx scripts/hard/shutdown-sockets.ts`, ten seconds.
 */
import { once } from 'node:events';
import { openCrowd } from './crowd.js';
import { buildIfStale, DrillProject, mayHold, quantile, report, reportGoal } from './drill.js';

const DRILL = 'shutdown-sockets';
const SOCKETS = 5_000;
const PER_CLUSTER = 100;
const ROUNDS = 3;
const LIMIT_MS = 1_500;
const SHUTTING_DOWN = 1001;

interface Round {
  ms: number;
  exit: number | null;
  /** Sockets that ended with another close code, or none. */
  others: number;
}

async function round(): Promise<Round> {
  const project = new DrillProject({ 'README.md': '# Lamp\n' });
  try {
    const daemon = await project.start({});
    const crowd = await openCrowd(daemon, SOCKETS, PER_CLUSTER);
    const exited = once(daemon.child, 'exit');
    // One of each cluster has just spoken: what is on its way must not hold the end up.
    for (let at = 0; at < SOCKETS; at += PER_CLUSTER) crowd[at]?.say('Good night.');
    const startedMs = performance.now();
    daemon.child.kill('SIGTERM');
    const [exit] = (await exited) as [number | null];
    const ms = performance.now() - startedMs;
    const endings = await Promise.all(crowd.map(({ ended }) => ended));
    return { ms, exit, others: endings.filter(({ code }) => code !== SHUTTING_DOWN).length };
  } finally {
    await project.remove();
  }
}

async function drill(): Promise<void> {
  try {
    const rounds: Round[] = [];
    for (let number = 0; number < ROUNDS; number += 1) rounds.push(await round());
    const times = rounds.map(({ ms }) => ms);
    reportGoal({
      drill: DRILL,
      goal: `from SIGTERM to exit with ${SOCKETS} sockets, median of ${ROUNDS}`,
      value: quantile(times, 0.5),
      unit: 'ms',
      atMost: LIMIT_MS,
      said: times.map((ms) => ms.toFixed(0)).join(', '),
    });
    const others = rounds.reduce((sum, one) => sum + one.others, 0);
    reportGoal({
      drill: DRILL,
      goal: `sockets not closed with ${SHUTTING_DOWN}, of ${SOCKETS * ROUNDS}`,
      value: others,
      unit: 'sockets',
      exactly: 0,
    });
    const exits = rounds.filter(({ exit }) => exit !== 0).length;
    reportGoal({ drill: DRILL, goal: 'exit codes that are not 0', value: exits, unit: 'exits', exactly: 0 });
  } catch (error) {
    report({ drill: DRILL, subject: `${SOCKETS} sockets`, said: String(error), pass: false });
  }
}

if (mayHold(DRILL, SOCKETS)) {
  buildIfStale();
  await drill();
}
