/**
 * How many durable registrations and how many heartbeats a second the hub takes over HTTP, 50 connections at a time, in rounds that take turns with a
 * bare Fastify route doing one durable insert for each request. The daemon is the built one, in a process of its own.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Line, type Load, load, type Request } from './http-load.js';
import { median, report, rounded } from './measure.js';

const ROUNDS = 5;
const ROUND_MS = 1_500;
const CONNECTIONS = 50;
const AGENTS = 1_000;
const GOAL = { registrations: 3_000, heartbeats: 6_000 };

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A child that says on which port it listens. */
function start(args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', ({ type, port, message }: { type: string; port: number; message?: string }) =>
      type === 'listening' ? resolve({ child, port }) : reject(new Error(message)),
    );
    child.once('exit', (exit) => reject(new Error(`A server ended with ${exit} before it listened.`)));
  });
}

const stop = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });

const registration = (agent_id: string): Request => ({
  method: 'POST',
  path: '/agents/register',
  body: { agent_id, capabilities: ['light.switch'] },
});

const card = (revision: number) => ({
  endpoint: 'https://lamp.example/agent',
  description: `Switches the harbour lights on at dusk and off at dawn, revision ${revision}.`,
  tags: ['light', 'harbour', 'dusk'],
  category: 'home.light',
  accepts: ['application/json'],
  produces: ['application/json'],
  protocols: ['http'],
  pricing: { unit: 'request', amount: 250, currency: 'lamports' },
  availability: { now: true },
});

const heartbeat = (token: string, revision: number): Request => ({
  method: 'PATCH',
  path: '/agents/me',
  headers: { Authorization: `Bearer ${token}` },
  body: { capabilities: ['light.switch'], agent_card: card(revision) },
});

/** Tokens of fresh agents. */
async function tokensOf(port: number, count: number): Promise<string[]> {
  const line = await Line.open(port);
  const tokens: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const { text } = await line.send(registration(`beating-${i}`));
    const { token } = JSON.parse(text) as { token: string };
    await line.send(heartbeat(token, 0));
    tokens.push(token);
  }
  line.close();
  return tokens;
}

const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-durable-'));
execFileSync('git', ['init', '-q'], { cwd: folder });
const ours = await start([join(repository, 'dist/daemon.js'), '--root', folder, '--port', '0']);
const peer = await start(['--import', 'tsx', fileURLToPath(new URL('./durable-peer.ts', import.meta.url)), join(folder, 'peer.db')]);
try {
  const tokens = await tokensOf(ours.port, AGENTS);
  const tokenOf = (index: number) => tokens[index % AGENTS] as string;
  const runs: Record<'registrations' | 'inserts' | 'heartbeats' | 'news', Load[]> = {
    registrations: [],
    inserts: [],
    heartbeats: [],
    news: [],
  };
  // The first round brings the code to its speed; it is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const inserts = await load(peer.port, CONNECTIONS, ROUND_MS, (i) => registration(`fresh-${round}-${i}`));
    const registrations = await load(ours.port, CONNECTIONS, ROUND_MS, (i) => registration(`fresh-${round}-${i}`));
    const heartbeats = await load(ours.port, CONNECTIONS, ROUND_MS, (i) => heartbeat(tokenOf(i), 0));
    const news = await load(ours.port, CONNECTIONS, ROUND_MS, (i) => heartbeat(tokenOf(i), round * 1e9 + i + 1));
    // What the next round of heartbeats says is known again.
    const line = await Line.open(ours.port);
    for (const token of tokens) await line.send(heartbeat(token, 0));
    line.close();
    if (round === 0) continue;
    for (const [name, one] of Object.entries({ registrations, inserts, heartbeats, news })) runs[name as keyof typeof runs].push(one);
  }

  const peerPerSecond = median(runs.inserts.map(({ perSecond }) => perSecond));
  const peerP99 = median(runs.inserts.map(({ p99Ms }) => p99Ms));
  for (const [name, measure, goal] of [
    ['registrations', 'registrations, durable', GOAL.registrations],
    ['heartbeats', 'heartbeats that say what is known', GOAL.heartbeats],
    ['news', 'heartbeats with a new card, durable', undefined],
  ] as const) {
    const perSecond = runs[name].map((one) => one.perSecond);
    const p99 = median(runs[name].map(({ p99Ms }) => p99Ms));
    report({
      bench: 'durable',
      measure,
      unit: '/s',
      ours: rounded(median(perSecond), 0),
      min: rounded(Math.min(...perSecond), 0),
      max: rounded(Math.max(...perSecond), 0),
      peer: { name: 'bare Fastify, one commit per insert', value: rounded(peerPerSecond, 0) },
      ratio: rounded(median(perSecond) / peerPerSecond, 2),
      rounds: ROUNDS,
      ...(goal === undefined ? {} : { goal: `>= ${goal}/s`, pass: median(perSecond) >= goal }),
    });
    report({
      bench: 'durable',
      measure: `${measure}, p99`,
      unit: 'ms',
      ours: rounded(p99),
      peer: { name: 'bare Fastify, one commit per insert', value: rounded(peerP99) },
      ratio: rounded(p99 / peerP99, 2),
      rounds: ROUNDS,
    });
  }
} finally {
  await Promise.all([stop(ours.child), stop(peer.child)]);
  rmSync(folder, { recursive: true, force: true });
}
