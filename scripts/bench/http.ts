/**
 * Measures how many lookups with a bearer token the daemon serves a second (guard, token and registration of the agent,
 * its contacts), compared to a bare Fastify hello route and to a Fastify with helmet and `jose` that does the same.
 * Each runs on one core and the load on another, in alternating rounds, with ten requests in flight on each of twenty
 * connections. The load counts bytes; its own limit is printed. The daemon is the built one. Usage:
 * `npx tsx scripts/bench/http.ts [--rounds 5]`, a minute.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spentBy } from './fanout/fanout-brokers.js';
import { Line } from './http-load.js';
import { getRequest, Pipelines } from './http-pipeline.js';
import { median, rounded } from './measure.js';
import { installPeers, pin, say, startNode, stopServer } from './pinned.js';

const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 5 : Number(process.argv[at + 1]);
const ROUND_MS = ROUNDS > 1 ? 2_000 : 500;
const CONNECTIONS = 20;
const DEPTH = 10;
/** Time for the daemon to finish the rest of its start. */
const SETTLING_MS = 3_000;
const GOALS = { hello: 0.75, helmet: 4 };

const KINDS = ['ours', 'hello', 'helmet'] as const;
type Kind = (typeof KINDS)[number];
const NAMES = { hello: 'bare Fastify, hello', helmet: 'Fastify, helmet, jose' } as const;

const getFile = (path: string) => fileURLToPath(new URL(path, import.meta.url));

type Target = [port: number, path: string, token?: string | undefined];

/** Registers two agents on the hub and adds the second as a contact of the first. Returns the token of the first. */
async function getToken(port: number): Promise<string> {
  const line = await Line.open(port);
  const register = async (agent_id: string) =>
    (
      JSON.parse(
        (await line.send({ method: 'POST', path: '/agents/register', body: { agent_id, capabilities: [] } })).text,
      ) as {
        token: string;
      }
    ).token;
  const token = await register('asking-agent');
  await register('lamp-agent');
  await line.send({
    method: 'PUT',
    path: '/agents/contacts/lamp-agent',
    headers: { Authorization: `Bearer ${token}` },
  });
  line.close();
  return token;
}

installPeers('@fastify/helmet/index.js');
const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-http-'));
execFileSync('git', ['init', '-q'], { cwd: folder });
pin(true);
const ours = await startNode<{ port: number }>([getFile('../../dist/daemon.js'), '--root', folder, '--port', '0']);
const peer = (kind: string) =>
  startNode<{ port: number; token?: string }>(['--import', 'tsx', getFile('./http-peer.ts'), kind]);
const hello = await peer('hello');
const helmet = await peer('helmet');
const servers = [ours, hello, helmet];
try {
  const open = ([port, path, token]: Target) => Pipelines.open(port, getRequest(port, path, token), CONNECTIONS, DEPTH);
  const bytes = await peer('bytes');
  const blind = await open([bytes.word.port, '/']);
  const limit = await blind.rate(ROUND_MS);
  blind.close();
  await stopServer(bytes.child);
  say({ bench: 'http', measure: 'the load’s own limit', unit: 'requests/s', ours: rounded(limit, 0), rounds: 1 });

  await pause(SETTLING_MS);
  const targets: Record<Kind, Target> = {
    ours: [ours.word.port, '/agents/contacts', await getToken(ours.word.port)],
    hello: [hello.word.port, '/'],
    helmet: [helmet.word.port, '/agents/contacts', helmet.word.token],
  };
  const pids: Record<Kind, number> = {
    ours: ours.child.pid as number,
    hello: hello.child.pid as number,
    helmet: helmet.child.pid as number,
  };
  const rates: Record<Kind, number[]> = { ours: [], hello: [], helmet: [] };
  const work: Record<Kind, number[]> = { ours: [], hello: [], helmet: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const kind of KINDS) {
      // New connections: a server closes those that were idle while the others ran.
      const lines = await open(targets[kind]);
      const beforeMs = spentBy(pids[kind]).cpuMs;
      const rate = await lines.rate(ROUND_MS);
      await lines.quiet();
      const usedMs = spentBy(pids[kind]).cpuMs - beforeMs;
      lines.close();
      // The first round is a warm-up.
      if (round < 0) continue;
      rates[kind].push(rate);
      work[kind].push((usedMs * 1_000) / lines.count);
    }
  }
  for (const kind of ['hello', 'helmet'] as const) {
    const ratio = median(rates.ours.map((rate, round) => rate / (rates[kind][round] as number)));
    say({
      bench: 'http',
      measure: 'a guarded lookup with a bearer',
      unit: 'requests/s',
      ours: rounded(median(rates.ours), 0),
      min: rounded(Math.min(...rates.ours), 0),
      max: rounded(Math.max(...rates.ours), 0),
      peer: { name: NAMES[kind], value: rounded(median(rates[kind]), 0) },
      ratio: rounded(ratio, 2),
      rounds: ROUNDS,
      goal: `>= ${GOALS[kind]}×`,
      pass: ratio >= GOALS[kind],
    });
    say({
      bench: 'http',
      measure: 'a guarded lookup with a bearer: the server’s time for one',
      unit: 'µs',
      ours: rounded(median(work.ours)),
      peer: { name: NAMES[kind], value: rounded(median(work[kind])) },
      ratio: rounded(median(work.ours) / median(work[kind]), 2),
      rounds: ROUNDS,
    });
  }
} finally {
  for (const { child } of servers) await stopServer(child);
  rmSync(folder, { recursive: true, force: true });
}
