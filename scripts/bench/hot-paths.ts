/**
 * Measures where the daemon's time is spent on its three hottest paths: a message of the Wall to a thousand members, an
 * ask that `builtin` answers, and a heartbeat. Each path runs for some seconds under the profiler, and the self time of
 * each function is attributed to a package, a part of Node.js or a folder of the daemon. Usage:
 * `npx tsx scripts/bench/hot-paths.ts`, half a minute; daemon/ARCHITECTURE.md explains the results.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AskAccepted, AskRecord } from '../../daemon/contract/asks.js';
import type { ClusterCreated } from '../../daemon/contract/clusters.js';
import type { MemberDetail } from '../../daemon/contract/team.js';
import { buildUnbundled } from './dashboard/unbundled.js';
import { Lines } from './fanout/fanout-load.js';
import { clientFrame } from './fanout/fanout-websocket.js';
import { Line } from './http-load.js';
import { report, rounded } from './measure.js';
import { SERVER_CORE, stopServer } from './pinned.js';
import { Profiled } from './profile.js';

const SECONDS = 5;
const LISTENERS = 1_000;
const MESSAGES_PER_SECOND = 100;
const LINES = 20;
/** Places with a smaller share of the time are reported together. */
const TOLD_FROM = 0.02;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `one` on several connections concurrently for some seconds. Returns the number of runs. */
async function keepAsking(port: number, one: (line: Line, index: number) => Promise<void>): Promise<number> {
  let count = 0;
  const endMs = performance.now() + SECONDS * 1_000;
  await Promise.all(
    Array.from({ length: LINES }, async () => {
      const line = await Line.open(port);
      while (performance.now() < endMs) {
        count += 1;
        await one(line, count);
      }
      line.close();
    }),
  );
  return count;
}

async function json<Body>(line: Line, method: string, path: string, body?: object, bearer?: string): Promise<Body> {
  const headers: Record<string, string> = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` };
  const { status, text } = await line.send({ method, path, headers, body });
  if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
  return JSON.parse(text) as Body;
}

/** The paths. Each prepares its data and returns the work, which returns the count by which its time is divided. */
const PATHS: Readonly<Record<string, (port: number, line: Line) => Promise<() => Promise<number>>>> = {
  async 'a delivery of the Wall, 200 B to 1,000'(port, line) {
    const { cluster_id } = await json<ClusterCreated>(line, 'POST', '/v1/clusters', { visibility: 'public' });
    const lines = await Lines.open(port, `/v1/clusters/${cluster_id}/ws?vis=ghost&agent=`, LISTENERS + 1);
    const frame = clientFrame(`{"payload":"${'x'.repeat(200)}"}`);
    return async () => {
      for (let sent = 0; sent < SECONDS * MESSAGES_PER_SECOND; sent += 1) {
        lines.publisher.socket.write(frame);
        await pause(1_000 / MESSAGES_PER_SECOND);
      }
      lines.close();
      return SECONDS * MESSAGES_PER_SECOND * LISTENERS;
    };
  },
  async 'an ask that `builtin` answers'(port, line) {
    const { token } = await json<MemberDetail>(line, 'GET', '/team/consultant');
    const texts = [
      'How are contract errors answered?',
      'What limits are there?',
      'How is a token compared?',
      'What does a clock do here?',
    ];
    return async () => {
      const asker = await Line.open(port);
      const endMs = performance.now() + SECONDS * 1_000;
      let count = 0;
      while (performance.now() < endMs) {
        const { poll } = await json<AskAccepted>(
          asker,
          'POST',
          '/team/consultant/ask',
          { text: texts[count % texts.length] },
          token,
        );
        for (let isOver = false; !isOver; ) {
          const { status } = await json<AskRecord>(asker, 'GET', `${poll}?wait=10`, undefined, token);
          isOver = status === 'done' || status === 'error';
        }
        count += 1;
      }
      asker.close();
      return count;
    };
  },
  async 'a heartbeat that says what is known'(port, line) {
    const tokens: string[] = [];
    for (let number = 0; number < 200; number += 1) {
      const body = { agent_id: `beating-${number}`, capabilities: ['light.switch'] };
      tokens.push((await json<{ token: string }>(line, 'POST', '/agents/register', body)).token);
    }
    const beat = (on: Line, index: number) =>
      json<object>(on, 'PATCH', '/agents/me', { capabilities: ['light.switch'] }, tokens[index % tokens.length]).then(
        () => undefined,
      );
    return () => keepAsking(port, beat);
  },
};

const root = mkdtempSync(join(tmpdir(), 'meshd-bench-hot-paths-'));
const { folder, program } = await buildUnbundled();
try {
  for (const part of ['daemon/contract', 'daemon/lib'])
    cpSync(join(repository, part), join(root, part), { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const [command = '', ...args] = [
    ...SERVER_CORE,
    process.execPath,
    '--inspect=127.0.0.1:0',
    program,
    '--root',
    root,
    '--port',
    '0',
  ];
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const listening = new Promise<number>((resolve, reject) => {
    child.once('message', ({ port }: { port: number }) => resolve(port));
    child.once('exit', (exit) => reject(new Error(`The daemon ended with ${exit}.`)));
  });
  const profiled = await Profiled.of(child);
  const port = await listening;
  for (const [path, ready] of Object.entries(PATHS)) {
    // A new connection: the daemon closes connections that were idle while another path ran.
    const line = await Line.open(port);
    const work = await ready(port, line);
    line.close();
    let count = 0;
    const spent = await profiled.during(async () => {
      count = await work();
    });
    const all = [...spent.values()].reduce((sum, ms) => sum + ms, 0);
    report({ bench: 'hot-paths', measure: path, unit: 'µs', ours: rounded((all * 1_000) / count, 2), rounds: count });
    let rest = all;
    for (const [place, ms] of spent) {
      if (ms < all * TOLD_FROM) break;
      rest -= ms;
      report({
        bench: 'hot-paths',
        measure: `${path}: ${place}`,
        unit: 'µs',
        ours: rounded((ms * 1_000) / count, 3),
        rounds: count,
      });
    }
    report({
      bench: 'hot-paths',
      measure: `${path}: all the rest`,
      unit: 'µs',
      ours: rounded((rest * 1_000) / count, 3),
      rounds: count,
    });
  }
  profiled.close();
  await stopServer(child);
} finally {
  for (const gone of [root, folder]) rmSync(gone, { recursive: true, force: true });
}
