/**
 * Stops the daemon while five thousand members are connected, some of whom have just sent a message. Every socket must
 * be closed with 1001, and the daemon must exit with code 0 within a second and a half of the signal. Not run where a
 * process may not open so many files. Takes ten seconds.
 *
 * `npx tsx scripts/hard/load/shutdown-sockets.ts`
 */
import { once } from 'node:events';
import { quantile } from '../../bench/measure.js';
import { type Drill, mayHold, runDrill } from '../drill.js';
import { openCrowd } from './crowd.js';

const PER_CLUSTER = 100;
const LIMIT_MS = 1_500;
const SHUTTING_DOWN = 1001;

interface Round {
  ms: number;
  exit: number | null;
  /** Number of sockets that ended with another close code, or none. */
  others: number;
}

async function round(drill: Drill, sockets: number): Promise<Round> {
  const project = drill.project();
  const daemon = await project.start({});
  const crowd = await openCrowd(daemon, sockets, PER_CLUSTER);
  const exited = once(daemon.child, 'exit');
  // One member of each cluster has just sent a message. Messages in flight must not delay the shutdown.
  for (let at = 0; at < sockets; at += PER_CLUSTER) crowd[at]?.say('Good night.');
  const startedMs = performance.now();
  daemon.child.kill('SIGTERM');
  const [exit] = (await exited) as [number | null];
  const ms = performance.now() - startedMs;
  const endings = await Promise.all(crowd.map(({ ended }) => ended));
  return { ms, exit, others: endings.filter(({ code }) => code !== SHUTTING_DOWN).length };
}

await runDrill('shutdown-sockets', async (drill) => {
  const [count, sockets] = [drill.bound('rounds'), drill.bound('sockets')];
  if (!mayHold(drill, sockets)) return;
  const rounds: Round[] = [];
  for (let number = 0; number < count; number += 1) rounds.push(await round(drill, sockets));
  const times = rounds.map(({ ms }) => ms);
  drill.measure({
    measure: `from SIGTERM to exit with ${sockets} sockets, median of ${count}`,
    value: quantile(times, 0.5),
    unit: 'ms',
    atMost: LIMIT_MS,
    isTime: true,
    said: times.map((ms) => ms.toFixed(0)).join(', '),
  });
  const others = rounds.reduce((sum, one) => sum + one.others, 0);
  drill.measure({
    measure: `sockets not closed with ${SHUTTING_DOWN}, of ${sockets * count}`,
    value: others,
    unit: 'sockets',
    exactly: 0,
  });
  const exits = rounds.filter(({ exit }) => exit !== 0).length;
  drill.measure({ measure: 'exit codes that are not 0', value: exits, unit: 'exits', exactly: 0 });
});
