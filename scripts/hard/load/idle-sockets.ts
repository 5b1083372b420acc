/**
 * Silent members in clusters of a hundred, connected for longer than the daemon takes to ping each of them. Measures
 * their memory, checks that none is disconnected, and that the daemon responds meanwhile. Not run where a
 * process may not open so many files. Takes eighty seconds. Linux only.
 *
 * `npx tsx scripts/hard/load/idle-sockets.ts`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../bench/measure.js';
import { isLinux, mayHold, runDrill, until } from '../drill.js';
import { Gauge } from '../gauge.js';
import { openCrowd } from './crowd.js';

const PER_CLUSTER = 100;
/** Time after the start before memory is measured first. */
const SETTLING_MS = 3_000;
/** More than twice the interval between two pings. */
const HELD_MS = 60_000;
const ASK_EVERY_MS = 100;
const LIMIT_MS = 30_000;
const TARGET = { kbEach: 10, joinsPerSecond: 2_000 };

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

await runDrill('idle-sockets', async (drill) => {
  const sockets = drill.bound('sockets');
  if (!isLinux(drill, 'memory is read from /proc') || !mayHold(drill, sockets)) return;
  const project = drill.project();
  const gauge = new Gauge(project);
  const daemon = await project.start(gauge.environment);
  await pause(SETTLING_MS);
  const before = await gauge.read(true);

  const startedMs = performance.now();
  const crowd = await openCrowd(daemon, sockets, PER_CLUSTER);
  const perSecond = sockets / ((performance.now() - startedMs) / 1_000);
  // Each member has received its `ready`, and a presence for every later member.
  const told = (PER_CLUSTER * (PER_CLUSTER + 1) * (sockets / PER_CLUSTER)) / 2;
  await until(
    'everybody told of everybody',
    LIMIT_MS,
    () => crowd.reduce((sum, { texts }) => sum + texts, 0),
    (texts) => texts >= told,
  );
  const answersMs: number[] = [];
  const endMs = performance.now() + HELD_MS;
  let peak = daemon.residentBytes();
  while (performance.now() < endMs) {
    const askedMs = performance.now();
    await daemon.call('GET', '/health');
    answersMs.push(performance.now() - askedMs);
    peak = Math.max(peak, daemon.residentBytes());
    await pause(ASK_EVERY_MS);
  }
  const dropped = crowd.filter(({ isGone }) => isGone).length;
  const after = await gauge.read(true);
  const unpinged = crowd.filter(({ pings }) => pings === 0).length;
  drill.measure({
    measure: `memory of the daemon for each of ${sockets} idle sockets, above idle, once garbage was collected`,
    value: (after.residentBytes - before.residentBytes) / sockets / 1_000,
    unit: 'KB',
    atMost: TARGET.kbEach,
    said:
      `${megabytes(before.residentBytes)} idle, ${megabytes(after.residentBytes)} with all of them, of which ` +
      `${megabytes(before.heapBytes)} and ${megabytes(after.heapBytes)} are objects; ${megabytes(peak)} at most`,
  });
  drill.measure({
    measure: 'sockets that join in a second',
    value: perSecond,
    unit: '/s',
    atLeast: TARGET.joinsPerSecond,
    isTime: true,
  });
  drill.measure({ measure: `sockets dropped in ${HELD_MS / 1_000} s`, value: dropped, unit: 'sockets', exactly: 0 });
  drill.measure({ measure: 'sockets that were not pinged', value: unpinged, unit: 'sockets', exactly: 0 });
  drill.measure({
    measure: 'p99 of /health meanwhile',
    value: quantile(answersMs, 0.99),
    unit: 'ms',
    atMost: 50,
    isTime: true,
  });
  for (const line of crowd) line.cut();
});
