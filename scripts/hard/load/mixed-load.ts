/**
 * The delay of the daemon's event loop under a mixed load: a cluster with a hundred sockets, requests, asks that the
 * daemon answers itself, and in the middle a thousand files of the project and of its team written at full speed. The
 * delay is measured inside the daemon; the load is a separate process.
 *
 * `npx tsx scripts/hard/load/mixed-load.ts [--seconds 60]`
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runDrill } from '../drill.js';
import { Gauge } from '../gauge.js';
import type { DrillProject } from '../project.js';
import { LoadOn, measureFaults, PROJECT_FILES } from './loaded-daemon.js';

const SOCKETS = 100;
const PER_SECOND = { messages: 50, requests: 200, comings: 0, posts: 0, talks: 0 };
const ASKS_AT_ONCE = 4;
const WRITES = 1_000;
/** One in this many written files is a member's. */
const MEMBER_EVERY = 10;
const MEMBERS = 20;
const WRITES_AT_ONCE = 10;
const WARM_UP_MS = 3_000;
const TARGET = { p99Ms: 30, maxMs: 100 };

/** Writes files of the project and of its members at full speed. */
async function writeFiles(project: DrillProject): Promise<void> {
  for (let number = 0; number < WRITES; number += 1) {
    if (number % MEMBER_EVERY === 0) {
      const path = `.mesh/team/keeper-${(number / MEMBER_EVERY) % MEMBERS}.md`;
      project.put(path, `${readFileSync(join(project.root, path), 'utf8')}Line ${number}.\n`);
    } else
      project.put(
        `docs/storm-${number}.md`,
        `# Storm ${number}\n\nWave ${number} came over the wall and went again.\n`,
      );
    if (number % WRITES_AT_ONCE === 0) await pause(1);
  }
}

await runDrill('mixed-load', async (drill) => {
  const project = drill.project(PROJECT_FILES);
  const gauge = new Gauge(project);
  const daemon = await project.start(gauge.environment);
  for (let number = 0; number < MEMBERS; number += 1) {
    await daemon.call('POST', '/team', {
      id: `keeper-${number}`,
      name: `Keeper ${number}`,
      description: 'One of many.',
      body: 'Say little.',
    });
  }
  const load = await LoadOn.start(drill, daemon, { sockets: SOCKETS, perSecond: PER_SECOND, asksAtOnce: ASKS_AT_ONCE });
  await pause(WARM_UP_MS);
  await load.report();
  await gauge.read();
  const startedMs = performance.now();
  const seconds = drill.bound('seconds');
  await pause((seconds * 1_000) / 2);
  await writeFiles(project);
  const stormMs = performance.now() - startedMs - (seconds * 1_000) / 2;
  await pause(Math.max(0, seconds * 1_000 - (performance.now() - startedMs)));
  const { p50Ms, p99Ms, maxMs, samples } = await gauge.read();
  const report = await load.stop();
  const { messages, missing, deliveryP99Ms, requests, asks } = report;
  drill.measure({
    measure: 'p99 of how late the event loop is',
    value: p99Ms,
    unit: 'ms',
    atMost: TARGET.p99Ms,
    isTime: true,
    said:
      `p50 ${p50Ms.toFixed(1)} ms of ${samples} looks in ${seconds} s; ${requests} requests, ${asks} asks, ` +
      `${messages} messages, ${WRITES} files written in ${(stormMs / 1_000).toFixed(1)} s`,
  });
  drill.measure({ measure: 'the latest that it was', value: maxMs, unit: 'ms', atMost: TARGET.maxMs, isTime: true });
  drill.measure({
    measure: 'messages that did not reach everybody once',
    value: missing,
    unit: 'deliveries',
    exactly: 0,
    said: `p99 ${deliveryP99Ms.toFixed(1)} ms`,
  });
  measureFaults(drill, report);
  // Without this load, the drill would have measured an idle daemon.
  drill.measure({
    measure: 'requests a second',
    value: requests / seconds,
    unit: '/s',
    atLeast: PER_SECOND.requests * 0.9,
    isTime: true,
  });
});
