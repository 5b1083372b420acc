/**
 * Resources that a daemon retains under a long load: a cluster whose members send messages, sockets that connect and
 * disconnect, requests, asks, conversations, and posts that expire, because the daemon's clock is moved ahead by 25
 * hours at intervals. After a warm-up of a sixth of the time its memory, open files, handles, timers and maps must not
 * grow. When all clients have disconnected, open files, handles and timers must be back at their count before the load.
 * Linux only.
 *
 * `npx tsx scripts/hard/load/soak.ts [--minutes 60]`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { quantile } from '../../bench/measure.js';
import { computeSlope } from '../../bench/straight-line.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import { Gauge, type Gauged } from '../gauge.js';
import type { LoadReport } from './load.js';
import { addReader, LoadOn, measureFaults, PROJECT_FILES } from './loaded-daemon.js';

const SOCKETS = 30;
const PER_SECOND = { messages: 20, requests: 30, comings: 50, posts: 5, talks: 0.5 };
const ASKS_AT_ONCE = 2;
/** Longer than the shortest lifetime of a post. */
const CLOCK_STEP_SECONDS = 25 * 60 * 60;
const SAMPLE_MS = 30_000;
/** Minimum number of samples. In a short run the samples are closer together. */
const SAMPLES_MIN = 24;
/** Counts the entries of all maps once per this many samples, because the count blocks the daemon for a second. */
const LOOKS_TO_ENTRIES = 6;
const LIMIT_MS = 60_000;
const TARGET = { growth: 5, heapMbPerHour: 0.5, p99Ms: 30 };
/** A shorter run cannot determine so small a growth per hour. */
const SLOPE_MINUTES_MIN = 50;
/** Permitted difference of the counts. Under this varying load they differ by as much from one sample to the next. */
const SCATTER = 20;

interface Sample extends Gauged {
  hours: number;
  files: number;
  /** Active resources other than timers. */
  handles: number;
}

const listHandles = ({ resources }: Gauged) =>
  Object.values({ ...resources, Timeout: 0 }).reduce((sum, count) => sum + count, 0);

/** The daemon build whose clock a signal moves. */
const TEST_DAEMON = fileURLToPath(new URL('../../../dist/test-daemon.js', import.meta.url));

/** Returns the medians of the first and the last third of the samples. */
function getGrowth<Look>(samples: readonly Look[], of: (look: Look) => number): { from: number; to: number } {
  const third = Math.ceil(samples.length / 3);
  const middle = (some: readonly Look[]) => quantile(some.map(of), 0.5);
  return { from: middle(samples.slice(0, third)), to: middle(samples.slice(-third)) };
}

/** What a run under load collected after the warm-up: samples, and the number of entries of all maps. */
interface Samples {
  samples: Sample[];
  entries: number[];
}

/** Takes samples for `totalMs` while the load runs, and moves the daemon's clock after each. */
async function takeSamples(
  daemon: DaemonProcess,
  gauge: Gauge,
  look: () => Promise<Sample>,
  totalMs: number,
): Promise<Samples> {
  const everyMs = Math.min(SAMPLE_MS, totalMs / SAMPLES_MIN);
  const samples: Sample[] = [];
  const entries: number[] = [];
  const endMs = performance.now() + totalMs;
  const warmMs = performance.now() + totalMs / 6;
  while (performance.now() < endMs) {
    await pause(everyMs);
    const sample = await look();
    if (performance.now() > warmMs) {
      if (samples.length % LOOKS_TO_ENTRIES === 0) entries.push(await gauge.entries());
      samples.push(sample);
    }
    daemon.child.kill('SIGUSR2');
  }
  return { samples, entries };
}

/** Measures the resident memory, the heap and the entries of all maps. */
function measureMemory(drill: Drill, { samples, entries }: Samples, minutes: number, inWords: string): void {
  const memory = getGrowth(samples, ({ residentBytes }) => residentBytes / 1e6);
  drill.measure({
    measure: 'resident memory more in the last third than in the first',
    value: (memory.to / memory.from - 1) * 100,
    unit: '%',
    atMost: TARGET.growth,
    said: `${memory.from.toFixed(0)} MB, then ${memory.to.toFixed(0)} MB; ${inWords}`,
  });
  const slope = computeSlope(samples.map(({ hours, heapBytes }) => [hours, heapBytes / 1e6]));
  const heap = getGrowth(samples, ({ heapBytes }) => heapBytes / 1e6);
  const heapWords = `${heap.from.toFixed(1)} MB, then ${heap.to.toFixed(1)} MB after garbage was collected`;
  if (minutes < SLOPE_MINUTES_MIN)
    drill.notRun('the heap grows by', `${slope.toFixed(1)} MB/h, which so short a time does not tell; ${heapWords}`);
  else
    drill.measure({
      measure: 'the heap grows by',
      value: slope,
      unit: 'MB/h',
      atMost: TARGET.heapMbPerHour,
      said: heapWords,
    });
  const entriesGrown = getGrowth(entries, (count) => count);
  drill.measure({
    measure: 'entries of all maps and sets more in the last third than in the first',
    value: (entriesGrown.to / entriesGrown.from - 1) * 100,
    unit: '%',
    atMost: TARGET.growth,
    said: entries.join(', '),
  });
}

/** Measures open files, handles and timers: under load, and after it compared with `before`. */
function measureCounts(drill: Drill, samples: readonly Sample[], before: Sample, after: Sample): void {
  for (const [what, of] of [
    ['open files', (sample: Sample) => sample.files],
    ['handles', (sample: Sample) => sample.handles],
    ['timers', (sample: Sample) => sample.timers],
  ] as const) {
    const { from, to } = getGrowth(samples, of);
    drill.measure({
      measure: `${what} more in the last third than in the first`,
      value: to - from,
      unit: what,
      atMost: SCATTER,
      said: `${from}, then ${to}`,
    });
    drill.measure({
      measure: `${what} more than before, once everybody has gone`,
      value: Math.max(0, of(after) - of(before)),
      unit: what,
      exactly: 0,
      said: `${of(before)}, then ${of(after)}`,
    });
  }
}

/** Measures the delay of the event loop, lost messages and faults of the load. */
function measureService(drill: Drill, samples: readonly Sample[], report: LoadReport): void {
  drill.measure({
    measure: 'p99 of how late the event loop is, the middle of all looks',
    value: quantile(
      samples.map(({ p99Ms }) => p99Ms),
      0.5,
    ),
    unit: 'ms',
    atMost: TARGET.p99Ms,
    isTime: true,
    said: `the worst ${Math.max(...samples.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`,
  });
  drill.measure({
    measure: 'messages that did not reach everybody once',
    value: report.missing,
    unit: 'deliveries',
    exactly: 0,
  });
  measureFaults(drill, report);
}

/** Runs a small load, so that resources allocated once on first use are not counted as growth. */
async function warmUp(drill: Drill, daemon: DaemonProcess): Promise<void> {
  const load = await LoadOn.start(drill, daemon, {
    sockets: 2,
    perSecond: { ...PER_SECOND, comings: 5, posts: 1 },
    asksAtOnce: 1,
  });
  await pause(2_000);
  await load.stop();
}

await runDrill('soak', async (drill) => {
  if (!isLinux(drill, 'open files are counted in /proc')) return;
  const minutes = drill.bound('minutes');
  const project = drill.project(PROJECT_FILES);
  const gauge = new Gauge(project);
  // The shell replaces itself with the test daemon and passes on the daemon's arguments: $1 is Node.js, $2 the released
  // daemon.
  const start = `node=$1; shift 2; exec "$node" "$0" "$@" --test-clock ${CLOCK_STEP_SECONDS}`;
  const daemon = await project.start(gauge.environment, ['sh', '-c', start, TEST_DAEMON]);
  await addReader(daemon);
  const startedMs = performance.now();
  const look = async (): Promise<Sample> => {
    const gauged = await gauge.read(true);
    const files = daemon.openFiles();
    const hours = (performance.now() - startedMs) / 3_600_000;
    return { ...gauged, hours, files, handles: listHandles(gauged) };
  };
  await warmUp(drill, daemon);
  const settled = async (isIt: (sample: Sample) => boolean) =>
    until('everybody gone', LIMIT_MS, look, isIt).catch(look);
  const before = await settled(({ resources }) => (resources['TCPSocketWrap'] ?? 0) <= 2);

  const load = await LoadOn.start(drill, daemon, {
    sockets: SOCKETS,
    perSecond: PER_SECOND,
    asksAtOnce: ASKS_AT_ONCE,
    clockMoves: true,
  });
  const taken = await takeSamples(daemon, gauge, look, minutes * 60_000);
  const report = await load.stop();
  const { comings, posts, asks, talks, requests } = report;
  const after = await settled(
    ({ files, handles, timers }) => files <= before.files && handles <= before.handles && timers <= before.timers,
  );

  const { samples } = taken;
  const inWords =
    `${minutes} minutes, ${samples.length} looks after the warm-up: ${comings} sockets came and went, ${posts} ` +
    `posts, ${asks} asks, ${talks} conversations, ${requests} requests`;
  measureMemory(drill, taken, minutes, inWords);
  measureCounts(drill, samples, before, after);
  measureService(drill, samples, report);
});
