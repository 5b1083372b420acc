/**
 * A daemon with a low limit of open files, and a program of another user that holds as many connections as it can: idle
 * ones, incomplete requests, and WebSockets, each reopened when it is closed. It may hold at most a quarter of the
 * files. The operator must not be affected: new connections, connections opened before, the socket of the dashboard and
 * `meshd status`. Takes ten seconds. Linux and root only.
 *
 * `npx tsx scripts/hard/access/foreign-sockets.ts [--seconds 4]`
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { type DaemonProcess, EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { quantile } from '../../bench/measure.js';
import { type Drill, runDrill, until } from '../drill.js';
import { clusterWithBoards } from '../load/boards.js';
import { mayBeAnother, NOBODY_UID, runAsOtherUser } from './other-user.js';

const FILES = 1_024;
const WANTED = 1_200;
const SETTLED_MS = 500;
const ASK_EVERY_MS = 10;
const PROGRAM = fileURLToPath(new URL('../../../dist/meshd.js', import.meta.url));

/** Returns the number of connections of the other user that the daemon has accepted and holds. */
function heldByOther(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const served = new Set<string>();
  const theirs: string[] = [];
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n').slice(1)) {
    const [, local = '', remote = '', state, , , , uid, , inode] = line.trim().split(/\s+/);
    if (state !== '01' || inode === '0') continue;
    if (local.endsWith(`:${hex}`)) served.add(`${remote} ${local}`);
    else if (remote.endsWith(`:${hex}`) && Number(uid) === NOBODY_UID) theirs.push(`${local} ${remote}`);
  }
  return theirs.filter((ends) => served.has(ends)).length;
}

/** Runs `meshd status`. Resolves with its exit code and its first line. */
const status = ({ root }: { root: string }) =>
  new Promise<{ exit: number; said: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: root };
    execFile(process.execPath, [PROGRAM, 'status', '--root', root], { env }, (error, out, err) =>
      resolve({ exit: error ? Number(error.code ?? 1) : 0, said: (out + err).split('\n')[0] ?? '' }),
    );
  });

/** Sends a request over a new connection. Returns the milliseconds until the response, or the fault. */
async function ask(
  { address }: DaemonProcess,
  path: string,
  headers: Record<string, string>,
): Promise<number | string> {
  const startedMs = performance.now();
  try {
    const { statusCode, body } = await request(address + path, { reset: true, headersTimeout: 5_000, headers });
    await body.text();
    return statusCode === 200 ? performance.now() - startedMs : `${path}: ${statusCode}`;
  } catch (error) {
    return `${path}: ${(error as Error).message}`;
  }
}

/** What the operator's requests over new connections showed while the sockets of the other user were open. */
interface Served {
  /** Requests with the operator's proof, as the command line and the dashboard send them. */
  answersMs: number[];
  /** Requests without it, where the daemon looks up the owner of the connection. */
  lookedUpMs: number[];
  faults: string[];
  /** The largest number of connections that the other user held. */
  most: number;
}

async function askMeanwhile(
  daemon: DaemonProcess,
  port: number,
  proof: Record<string, string>,
  seconds: number,
): Promise<Served> {
  const served: Served = { answersMs: [], lookedUpMs: [], faults: [], most: 0 };
  const endMs = performance.now() + seconds * 1_000;
  for (let number = 0; performance.now() < endMs; number += 1) {
    const isPlain = number % 4 === 3;
    const got = await ask(daemon, number % 2 === 0 ? '/health' : '/team', isPlain ? {} : proof);
    if (typeof got === 'number') (isPlain ? served.lookedUpMs : served.answersMs).push(got);
    else served.faults.push(got);
    if (number % 20 === 0) served.most = Math.max(served.most, heldByOther(port));
    await pause(ASK_EVERY_MS);
  }
  return served;
}

/** Changes a member. Resolves with whether the socket that was open before is notified within three seconds. */
async function changeMember(daemon: DaemonProcess, feed: EventFeed, faults: string[]): Promise<boolean> {
  const event = feed.until(({ type }) => type === 'team.updated');
  await daemon
    .call('PATCH', '/team/consultant', { description: 'Still here.' })
    .catch((error: Error) => faults.push(error.message));
  return Promise.race([event.then(() => true), pause(3_000, false)]);
}

/** Measures the connections of the other user and the operator's requests. `got` is the outcome of the crowd. */
function measureServed(drill: Drill, { answersMs, lookedUpMs, faults, most }: Served, got: string): void {
  drill.measure({
    measure: `connections that the other user holds, of ${FILES} files and ${WANTED} that it wants`,
    value: most,
    unit: 'connections',
    atMost: FILES / 4,
    said: got.trim(),
  });
  drill.none(
    'requests of the operator over new connections that were not answered',
    'requests',
    faults,
    `${answersMs.length + lookedUpMs.length} were`,
  );
  const p99 = quantile(answersMs, 0.99);
  const plain =
    `${lookedUpMs.length} of programs that prove nothing: p50 ${quantile(lookedUpMs, 0.5).toFixed(1)} ms, p99 ` +
    `${quantile(lookedUpMs, 0.99).toFixed(1)}`;
  const latency = 'p99 of the operator over new connections';
  if (drill.bound('judgesLatency') === 1)
    drill.measure({ measure: latency, value: p99, unit: 'ms', atMost: 25, isTime: true, said: plain });
  else drill.notRun(latency, `${p99.toFixed(1)} ms; judged in the full tier; ${plain}`);
}

await runDrill('foreign-sockets', async (drill) => {
  if (!mayBeAnother(drill)) return;
  const project = drill.project();
  const daemon = await project.start({}, ['prlimit', `--nofile=${FILES}:${FILES}`]);
  const port = Number(new URL(daemon.address).port);
  const { path } = await clusterWithBoards(daemon, [], { name: 'Target', visibility: 'public' });
  const feed = await EventFeed.open(daemon);
  const crowd = runAsOtherUser(drill, 'foreign-crowd.mjs', { port, wanted: WANTED, path: `${path}/ws` });
  // The initial rush of connections is covered by `slow-clients`.
  await until(
    'the crowd is there',
    10_000,
    () => heldByOther(port),
    (held) => held >= 100,
  );

  await pause(SETTLED_MS);
  const served = await askMeanwhile(daemon, port, project.proof(), drill.bound('seconds'));
  const { exit, said } = await status(project);
  const isTold = await changeMember(daemon, feed, served.faults);
  feed.close();
  crowd.child.stdin?.end();
  measureServed(drill, served, await crowd.outcome);
  drill.holds('`meshd status` finds the daemon', said, exit === 0);
  drill.holds('the dashboard is told of a change', 'over the socket that was open before', isTold);
  await until(
    'a member of the other user’s crowd has gone',
    5_000,
    () => heldByOther(port),
    (held) => held === 0,
  );
});
