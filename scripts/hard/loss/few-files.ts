/**
 * A daemon with a low limit of open files, and more connections than that, which are held open without a request,
 * closed and opened again. Clients that are connected must be served meanwhile, including work that needs a file (an
 * index, a member's file, a commit). Later clients must be rejected at once instead of hanging. Once the connections
 * are closed, every client must be served within a second. Takes ten seconds. Linux only.
 *
 * `npx tsx scripts/hard/loss/few-files.ts [--files 128]`
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { isLinux, runDrill, until } from '../drill.js';

/** Connections per file that the daemon may open. */
const CROWD = 2;
const LIMIT_MS = 10_000;
const SERVED_WITHIN_MS = 1_000;
/** Longer than the daemon keeps a connection without a request. */
const HELD_MS = 7_000;

/** Sends a request over the agent's kept connection, or over a new one. Returns the status, or the error message. */
function ask(
  agent: Agent | undefined,
  { address }: DaemonProcess,
  method: string,
  path: string,
  body?: object,
): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = body ? { 'content-type': 'application/json' } : {};
    const asked = request(address + path, { method, headers, ...(agent && { agent }), timeout: LIMIT_MS }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('timeout', () => asked.destroy(new Error('nothing within ten seconds')));
    asked.once('error', (error) => resolve(error.message));
    asked.end(body && JSON.stringify(body));
  });
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.once('connect', () => resolve(socket));
    socket.once('close', () => resolve(socket));
  });
}

/** What clients got while every place was taken. */
interface Held {
  /** Number of requests served over the connection that was open before. */
  answered: number;
  /** Number of later clients that were rejected. */
  turnedAway: number;
}

/** Adds a fault unless the request gets the status. */
async function want(faults: string[], what: string, status: number, got: Promise<number | string>): Promise<void> {
  const is = await got;
  if (is !== status) faults.push(`${what}: ${is}`);
}

/** Sends requests over the kept connection, and over new ones, while every place is taken. */
async function askMeanwhile(agent: Agent, daemon: DaemonProcess, faults: string[]): Promise<Held> {
  const held: Held = { answered: 0, turnedAway: 0 };
  const endMs = performance.now() + HELD_MS;
  for (let number = 0; performance.now() < endMs; number += 1) {
    await want(faults, '/health meanwhile', 200, ask(agent, daemon, 'GET', '/health'));
    await want(
      faults,
      'a member written meanwhile',
      201,
      ask(agent, daemon, 'POST', '/team', {
        id: `held-${number}`,
        name: 'Held',
        description: 'One of many.',
        body: 'Say little.',
      }),
    );
    const made = ask(agent, daemon, 'POST', '/v1/clusters', { name: 'Held' });
    await want(faults, 'a cluster committed meanwhile', 201, made);
    held.answered += 3;
    // A client that connects when no file is left gets no response, but must learn so at once.
    const startedMs = performance.now();
    const late = await ask(undefined, daemon, 'GET', '/health');
    if (typeof late === 'string') held.turnedAway += 1;
    if (performance.now() - startedMs > SERVED_WITHIN_MS)
      faults.push(`one who came later: ${late} after ${performance.now() - startedMs} ms`);
    await pause(100);
  }
  return held;
}

await runDrill('few-files', async (drill) => {
  if (!isLinux(drill, 'prlimit sets how many files it may open')) return;
  const files = drill.bound('files');
  const project = drill.project();
  const daemon = await project.start({}, ['prlimit', `--nofile=${files}:${files}`]);
  const port = Number(new URL(daemon.address).port);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const faults: string[] = [];
  await want(faults, 'a request before', 200, ask(agent, daemon, 'GET', '/health'));

  const crowd = await Promise.all(Array.from({ length: files * CROWD }, () => open(port)));
  const { answered, turnedAway } = await askMeanwhile(agent, daemon, faults);
  for (const socket of crowd) socket.destroy();
  const startedMs = performance.now();
  await until(
    'a new connection served',
    LIMIT_MS,
    () => ask(undefined, daemon, 'GET', '/health'),
    (is) => is === 200,
  );
  const recoveredMs = performance.now() - startedMs;
  agent.destroy();
  drill.none(
    'requests not served while every place was taken',
    'requests',
    faults,
    `${answered} served over one connection, ${turnedAway} turned away at once, beside ${crowd.length} that ` +
      'said nothing',
  );
  drill.measure({
    measure: 'turned away while every place was taken',
    value: turnedAway,
    unit: 'connections',
    atLeast: 1,
  });
  drill.measure({
    measure: 'a new connection is served, after they are gone, within',
    value: recoveredMs,
    unit: 'ms',
    atMost: SERVED_WITHIN_MS,
    isTime: true,
  });
});
