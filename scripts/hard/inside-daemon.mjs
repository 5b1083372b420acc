/**
 * Loaded into a daemon that is measured, before its own program, by way of NODE_OPTIONS: how long its event loop is kept from what is due, and what it holds on to. It answers each connection
 * to the Unix socket named in MESHD_DRILL_GAUGE with one line of JSON and begins anew; after a connection that writes "collect" garbage is collected first.
 * To one that writes "held" it says also how long the loop was kept by the daemon's own work at the longest since then,
 * in time of the processor: what other programs take of it is not in that. Linux only.
 * To one that writes "entries" it says how many entries all maps and sets hold together, which takes it a second.
 */
import { openSync, readSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const STEP_MS = 2;
const { constructor: Timeout } = setTimeout(() => undefined, 0).unref();
const path = process.env['MESHD_DRILL_GAUGE'];

/** How many entries all objects of a kind that have a `size` hold together. */
function entriesOf(kind) {
  const inspector = new Session();
  inspector.connect();
  const ask = (method, parameters) => {
    let told;
    // Answered before it returns: the daemon's own thread asks itself.
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

/** The most that the main thread works from one look to the next, which is due each millisecond. */
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

function gauge(loop, collects) {
  // A sample is the time from one look to the next, which are due STEP_MS apart.
  const late = (ns) => Math.max(0, ns / 1e6 - STEP_MS);
  const lag = {
    p50Ms: late(loop.percentile(50)),
    p99Ms: late(loop.percentile(99)),
    maxMs: late(loop.max),
    samples: loop.count,
  };
  if (collects) {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
  }
  const resources = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const { heapUsed, rss } = process.memoryUsage();
  // Also those that do not keep the daemon running, which the list above leaves out.
  const timers = collects ? queryObjects(Timeout, { format: 'count' }) : 0;
  return { ...lag, heapBytes: heapUsed, residentBytes: rss, resources, timers };
}

if (isMainThread && path !== undefined) {
  delete process.env['NODE_OPTIONS'];
  const loop = monitorEventLoopDelay({ resolution: STEP_MS });
  loop.enable();
  createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (word) => {
      const asked = String(word);
      if (asked === 'held') ownWork ??= new OwnWork();
      const held = asked === 'held' ? { heldMs: ownWork.take() } : {};
      const answer =
        asked === 'entries' ? entriesOf('Map') + entriesOf('Set') : { ...gauge(loop, asked === 'collect'), ...held };
      socket.end(`${JSON.stringify(answer)}\n`);
      loop.reset();
    });
  })
    .listen(path)
    .unref();
}
