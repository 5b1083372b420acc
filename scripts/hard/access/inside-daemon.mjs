/**
 * Preloaded into a measured daemon through NODE_OPTIONS. Measures the delay of its event loop and the resources that it
 * holds. Each connection to the Unix socket in MESHD_DRILL_GAUGE gets one line of JSON, and the measurement restarts.
 * The client writes one word:
 *
 * - "read" returns the measurements.
 * - "collect" collects garbage first.
 * - "held" also returns the longest hold of the event loop by the daemon's own work since the previous "held", in
 *   processor time, which excludes the work of other programs. Linux only.
 * - "entries" returns only the total number of entries of all maps and sets, which takes a second.
 */
import { openSync, readSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const STEP_MS = 2;
/** Other threads give the memory of a collection back to the system shortly after it. */
const FREED_MS = 100;
const { constructor: Timeout } = setTimeout(() => undefined, 0).unref();
const path = process.env['MESHD_DRILL_GAUGE'];

/** Returns the total number of entries of all objects of a kind that has a `size`. */
function entriesOf(kind) {
  const inspector = new Session();
  inspector.connect();
  const ask = (method, parameters) => {
    let told;
    // The callback runs before `post` returns, because the session is connected to its own thread.
    inspector.post(method, parameters, (error, result) => {
      if (error) throw new Error(error.message);
      told = result;
    });
    return told;
  };
  const { objectId: prototypeObjectId } = ask('Runtime.evaluate', { expression: `${kind}.prototype` }).result;
  const { objectId } = ask('Runtime.queryObjects', { prototypeObjectId }).objects;
  const functionDeclaration =
    'function () { let entries = 0; for (const one of this) entries += one.size; return entries; }';
  const { value } = ask('Runtime.callFunctionOn', { objectId, functionDeclaration, returnByValue: true }).result;
  inspector.disconnect();
  return value;
}

/**
 * Longest work of the main thread between two samples, which are due every millisecond. Milliseconds of processor time.
 */
class OwnWork {
  file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  bytes = Buffer.alloc(64);
  lastMs = this.workedMs();
  maxMs = 0;

  constructor() {
    setInterval(() => this.look(), 1).unref();
  }

  workedMs() {
    const length = readSync(this.file, this.bytes, 0, this.bytes.length, 0);
    return Number(this.bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6;
  }

  look() {
    const workedMs = this.workedMs();
    this.maxMs = Math.max(this.maxMs, workedMs - this.lastMs);
    this.lastMs = workedMs;
  }

  take() {
    this.look();
    const { maxMs } = this;
    this.maxMs = 0;
    return maxMs;
  }
}
let ownWork;

async function gauge(loop, collects) {
  // A sample is the time between two checks, which are due STEP_MS apart.
  const late = (ns) => Math.max(0, ns / 1e6 - STEP_MS);
  const lag = {
    p50Ms: late(loop.percentile(50)),
    p99Ms: late(loop.percentile(99)),
    maxMs: late(loop.max),
    samples: loop.count,
  };
  if (collects) {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    // What finalizers of the first collection let go is collected by the second.
    for (let times = 0; times < 2; times += 1) {
      collect();
      await pause(FREED_MS);
    }
  }
  const resources = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const { heapUsed, rss } = process.memoryUsage();
  // Includes timers that do not keep the process alive. The list above omits them.
  const timers = collects ? queryObjects(Timeout, { format: 'count' }) : 0;
  return { ...lag, heapBytes: heapUsed, residentBytes: rss, resources, timers };
}

if (isMainThread && path !== undefined) {
  delete process.env['NODE_OPTIONS'];
  const loop = monitorEventLoopDelay({ resolution: STEP_MS });
  loop.enable();
  createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', async (word) => {
      const asked = String(word);
      if (asked === 'held') ownWork ??= new OwnWork();
      const held = asked === 'held' ? { heldMs: ownWork.take() } : {};
      const answer =
        asked === 'entries'
          ? entriesOf('Map') + entriesOf('Set')
          : { ...(await gauge(loop, asked === 'collect')), ...held };
      socket.end(`${JSON.stringify(answer)}\n`);
      loop.reset();
    });
  })
    .listen(path)
    .unref();
}
