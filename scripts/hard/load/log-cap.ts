/**
 * Size and files of the log. The log is rotated before it exceeds its cap. When its folder is removed and a rotation is
 * due, the daemon must not write log lines to, or close, a socket or another file by mistake. Takes a few seconds.
 *
 * `npx tsx scripts/hard/load/log-cap.ts [--requests 2000]`
 */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill } from '../drill.js';
import { callHttp } from '../http-call.js';
import type { DrillProject } from '../project.js';

const CAP_BYTES = 10 * 1024 * 1024;
const FILES = 4;
/** Number of request lines that fit below the cap. */
const LINES_LEFT = 20;
const LINE_BYTES = 160;
const AT_ONCE = 8;
/** At this level each response has a line in the log. */
const TELLING = { MESHD_LOG_LEVEL: 'debug' };

const LINE = `${JSON.stringify({ msg: 'x'.repeat(1_000) })}\n`;
const full = (bytes: number) => LINE.repeat(Math.floor(bytes / LINE.length));

/**
 * Starts a daemon whose log has space for a few more lines. The daemon runs once before, since it rejects state that it
 * did not create.
 */
async function withFullLog(project: DrillProject): Promise<DaemonProcess> {
  await project.start();
  await project.endDaemon();
  const log = join(project.root, '.mesh/state/daemon.log');
  writeFileSync(log, full(CAP_BYTES - LINES_LEFT * LINE_BYTES), { mode: 0o600 });
  for (const age of [1, 2, 3]) writeFileSync(`${log}.${age}`, full(CAP_BYTES), { mode: 0o600 });
  return project.start(TELLING);
}

/** Sends `count` requests and returns the faults. */
async function callMany({ address }: DaemonProcess, count: number): Promise<string[]> {
  const faults: string[] = [];
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await callHttp(address, 'GET', '/versions');
      if (answer?.status !== 200) faults.push(answer === undefined ? 'cut off' : `answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return faults;
}

async function staysWithinItsCap(drill: Drill, requests: number): Promise<void> {
  const project = drill.project();
  const daemon = await withFullLog(project);
  const state = join(project.root, '.mesh/state');
  const faults = await callMany(daemon, requests);
  const logs = readdirSync(state).filter((name) => name.startsWith('daemon.log'));
  const sizes = logs.map((name) => statSync(join(state, name)).size);
  const isTurned = readFileSync(join(state, 'daemon.log'), 'utf8').startsWith('{"level"');
  drill.none('calls that were not answered', 'calls', faults, `${requests} made`);
  drill.holds('the log was turned over', `${sizes[0]} bytes in the newest`, isTurned);
  drill.measure({ measure: 'files of the log', value: logs.length, unit: 'files', atMost: FILES });
  drill.measure({ measure: 'the largest of them', value: Math.max(...sizes), unit: 'bytes', atMost: CAP_BYTES });
  await project.endDaemon();
}

async function checkWithoutFolder(drill: Drill, requests: number): Promise<void> {
  const project = drill.project();
  const daemon = await withFullLog(project);
  const state = join(project.root, '.mesh/state');
  renameSync(state, `${state}-gone`);
  rmSync(`${state}-gone`, { recursive: true });
  const faults = await callMany(daemon, requests);
  drill.none('calls that were cut or answered with lines of the log, its folder gone', 'calls', faults);
  drill.holds(
    'the daemon runs on',
    'its folder is gone',
    daemon.child.exitCode === null && daemon.child.signalCode === null,
  );
}

await runDrill('log-cap', async (drill) => {
  const requests = drill.bound('requests');
  await staysWithinItsCap(drill, requests);
  await checkWithoutFolder(drill, requests);
});
