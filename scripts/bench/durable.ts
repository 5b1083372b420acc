/**
 * Measures the cost of durable storage over HTTP with 50 connections, servers on one core and the load on another, in
 * alternating rounds. First the store alone: the same bare Fastify route with the daemon's store, with one commit for
 * each request, and without storage. Then the hub: registrations and heartbeats of the built daemon. Usage:
 * `npx tsx scripts/bench/durable.ts [--rounds 5]`, a minute and a half.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Line, type Load, load, type Request } from './http-load.js';
import { Pipelines, postRequest } from './http-pipeline.js';
import { median, quantile, rounded } from './measure.js';
import { pin, say, startNode, stopServer } from './pinned.js';

const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 5 : Number(process.argv[at + 1]);
const ROUND_MS = ROUNDS > 1 ? 1_500 : 500;
const CONNECTIONS = 50;
const AGENTS = 1_000;
const GOAL = { registrations: 3_000, heartbeats: 6_000 };

const KINDS = ['group', 'commit', 'none'] as const;
type Kind = (typeof KINDS)[number];
/** The minimum ratio of our rate to each peer's, and the maximum ratio of the p99. */
const STORE_GOALS = { commit: { rate: 4, p99: 0.5 }, none: { rate: 0.5, p99: undefined } } as const;
const NAMES = { commit: 'one commit for each request', none: 'nothing kept' } as const;

const getFile = (path: string) => fileURLToPath(new URL(path, import.meta.url));

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

/** Registers agents and returns their tokens. */
async function listTokens(port: number, count: number): Promise<string[]> {
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

/** Measures one route with three kinds of storage. */
async function benchStore(folder: string): Promise<void> {
  const servers = new Map<Kind, Awaited<ReturnType<typeof startNode<{ port: number }>>>>();
  for (const kind of KINDS) {
    servers.set(
      kind,
      await startNode(['--import', 'tsx', getFile('./durable-peer.ts'), kind, join(folder, `${kind}.db`)]),
    );
  }
  const rates: Record<Kind, number[]> = { group: [], commit: [], none: [] };
  const p99s: Record<Kind, number[]> = { group: [], commit: [], none: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [kind, { word }] of servers) {
      const request = postRequest(word.port, '/', { agent_id: 'fresh-agent', capabilities: ['light.switch'] });
      const lines = await Pipelines.open(word.port, request, CONNECTIONS, 1);
      const rate = await lines.rate(ROUND_MS);
      await lines.quiet();
      lines.close();
      // The first round is a warm-up.
      if (round < 0) continue;
      rates[kind].push(rate);
      p99s[kind].push(quantile(lines.times, 0.99));
    }
  }
  for (const { child } of servers.values()) await stopServer(child);
  const ratio = (of: Record<Kind, number[]>, peer: Kind) =>
    median(of.group.map((value, round) => value / (of[peer][round] as number)));
  for (const peer of ['commit', 'none'] as const) {
    const { rate, p99 } = STORE_GOALS[peer];
    say({
      bench: 'durable',
      measure: 'one insert for each POST',
      unit: '/s',
      ours: rounded(median(rates.group), 0),
      min: rounded(Math.min(...rates.group), 0),
      max: rounded(Math.max(...rates.group), 0),
      peer: { name: NAMES[peer], value: rounded(median(rates[peer]), 0) },
      ratio: rounded(ratio(rates, peer), 2),
      rounds: ROUNDS,
      goal: `>= ${rate}×`,
      pass: ratio(rates, peer) >= rate,
    });
    say({
      bench: 'durable',
      measure: 'one insert for each POST, p99',
      unit: 'ms',
      ours: rounded(median(p99s.group), 2),
      peer: { name: NAMES[peer], value: rounded(median(p99s[peer]), 2) },
      ratio: rounded(ratio(p99s, peer), 2),
      rounds: ROUNDS,
      ...(p99 === undefined ? {} : { goal: `<= ${p99}×`, pass: ratio(p99s, peer) <= p99 }),
    });
  }
}

/** Measures registrations and heartbeats of the whole daemon. */
async function benchHub(folder: string): Promise<void> {
  const { child, word } = await startNode<{ port: number }>([
    getFile('../../dist/daemon.js'),
    '--root',
    folder,
    '--port',
    '0',
  ]);
  const { port } = word;
  const tokens = await listTokens(port, AGENTS);
  const getToken = (index: number) => tokens[index % AGENTS] as string;
  const runs: Record<'registrations' | 'heartbeats' | 'news', Load[]> = { registrations: [], heartbeats: [], news: [] };
  // The first round is a warm-up; it is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const registrations = await load(port, CONNECTIONS, ROUND_MS, (i) => registration(`fresh-${round}-${i}`));
    const heartbeats = await load(port, CONNECTIONS, ROUND_MS, (i) => heartbeat(getToken(i), 0));
    const news = await load(port, CONNECTIONS, ROUND_MS, (i) => heartbeat(getToken(i), round * 1e9 + i + 1));
    // Restores the known cards, so that the next round of heartbeats reports nothing new.
    const line = await Line.open(port);
    for (const token of tokens) await line.send(heartbeat(token, 0));
    line.close();
    if (round === 0) continue;
    for (const [name, one] of Object.entries({ registrations, heartbeats, news }))
      runs[name as keyof typeof runs].push(one);
  }
  await stopServer(child);
  for (const [name, measure, goal] of [
    ['registrations', 'registrations, durable', GOAL.registrations],
    ['heartbeats', 'heartbeats that say what is known', GOAL.heartbeats],
    ['news', 'heartbeats with a new card, durable', undefined],
  ] as const) {
    const perSecond = runs[name].map((one) => one.perSecond);
    say({
      bench: 'durable',
      measure,
      unit: '/s',
      ours: rounded(median(perSecond), 0),
      min: rounded(Math.min(...perSecond), 0),
      max: rounded(Math.max(...perSecond), 0),
      rounds: ROUNDS,
      ...(goal === undefined ? {} : { goal: `>= ${goal}/s`, pass: median(perSecond) >= goal }),
    });
    const p99 = median(runs[name].map(({ p99Ms }) => p99Ms));
    say({ bench: 'durable', measure: `${measure}, p99`, unit: 'ms', ours: rounded(p99), rounds: ROUNDS });
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-durable-'));
execFileSync('git', ['init', '-q'], { cwd: folder });
pin(true);
try {
  await benchStore(folder);
  await benchHub(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
