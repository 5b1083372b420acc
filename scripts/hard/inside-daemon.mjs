/**
 * Loaded into a daemon that is measured, before its own program, by way of NODE_OPTIONS: how long its event loop is kept from what is due, and what it holds on to. It answers each connection
 * to the Unix socket named in MESHD_DRILL_GAUGE with one line of JSON and begins anew; after a connection that writes "collect" garbage is collected first.
 */
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const STEP_MS = 2;
const { constructor: Timeout } = setTimeout(() => undefined, 0).unref();
const path = process.env['MESHD_DRILL_GAUGE'];

function gauge(loop, collects) {
  // A sample is the time from one look to the next, which are due STEP_MS apart.
  const late = (ns) => Math.max(0, ns / 1e6 - STEP_MS);
  const lag = { p50Ms: late(loop.percentile(50)), p99Ms: late(loop.percentile(99)), maxMs: late(loop.max), samples: loop.count };
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
      socket.end(`${JSON.stringify(gauge(loop, String(word).startsWith('collect')))}\n`);
      loop.reset();
    });
  })
    .listen(path)
    .unref();
}
