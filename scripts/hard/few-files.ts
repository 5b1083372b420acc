/**
 * A daemon that may open few files, and more connections than that, which are held open and say nothing, go, and come again. Whoever was connected is served
 * meanwhile, and what needs a file of its own (an index, a member's file, a commit) is done; who comes later is turned away at once and never left hanging; once they are gone everybody is
 * served within a second. `npx tsx scripts/hard/few-files.ts [--files 128]`, ten seconds. Linux only.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { isLinux, runDrill, until } from './drill.js';

/** Connections for each file that the daemon may open. */
const CROWD = 2;
const LIMIT_MS = 10_000;
const SERVED_WITHIN_MS = 1_000;
/** Longer than a connection without a request is kept. */
const HELD_MS = 7_000;

/** The status of an answer over one connection that is kept, or what happened instead. */
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

await runDrill('few-files', async (drill) => {
  if (!isLinux(drill, 'prlimit sets how many files it may open')) return;
  const files = drill.bound('files');
  const project = drill.project();
  const daemon = await project.start({}, ['prlimit', `--nofile=${files}:${files}`]);
  const port = Number(new URL(daemon.address).port);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const faults: string[] = [];
  const want = async (what: string, status: number, got: Promise<number | string>) => {
    const is = await got;
    if (is !== status) faults.push(`${what}: ${is}`);
  };
  await want('a request before', 200, ask(agent, daemon, 'GET', '/health'));

  const crowd = await Promise.all(Array.from({ length: files * CROWD }, () => open(port)));
  const endMs = performance.now() + HELD_MS;
  let answered = 0;
  let turnedAway = 0;
  for (let number = 0; performance.now() < endMs; number += 1) {
    await want('/health meanwhile', 200, ask(agent, daemon, 'GET', '/health'));
    await want(
      'a member written meanwhile',
      201,
      ask(agent, daemon, 'POST', '/team', {
        id: `held-${number}`,
        name: 'Held',
        description: 'One of many.',
        body: 'Say little.',
      }),
    );
    await want('a cluster committed meanwhile', 201, ask(agent, daemon, 'POST', '/v1/clusters', { name: 'Held' }));
    answered += 3;
    // Who comes when all places are taken gets no answer, but knows at once.
    const startedMs = performance.now();
    const late = await ask(undefined, daemon, 'GET', '/health');
    if (typeof late === 'string') turnedAway += 1;
    if (performance.now() - startedMs > SERVED_WITHIN_MS)
      faults.push(`one who came later: ${late} after ${performance.now() - startedMs} ms`);
    await pause(100);
  }
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
    `${answered} served over one connection, ${turnedAway} turned away at once, beside ${crowd.length} that said nothing`,
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
