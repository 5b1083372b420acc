/**
 * A program of another user without a credential sends requests to every public route that may store something, at full
 * speed. No more requests may be carried out than its rate limit permits. The store may grow by no more than its
 * budget, which a restart does not renew. Meanwhile the operator's requests must succeed in time. Deleting the posts
 * must make the file smaller. The routes are those of the policy. Takes ten seconds. Linux and root only.
 *
 * `npx tsx scripts/hard/access/foreign-budget.ts [--seconds 4]`
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PEER_STORE_BYTES, PEER_WRITES_BURST, PEER_WRITES_PER_SECOND } from '../../../daemon/contract/limits.js';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import { POLICY } from '../../../daemon/testing/policy.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { quantile } from '../../bench/measure.js';
import { type Drill, runDrill, until } from '../drill.js';
import { callHttp } from '../http-call.js';
import { type BoardsCluster, clusterWithBoards } from '../load/boards.js';
import type { DrillProject } from '../project.js';
import { mayBeAnother, NOBODY_UID, runAsOtherUser } from './other-user.js';

const LINES = 16;
/** Characters of four bytes each: a post of 256 KiB. */
const POST_CHARS = 65_536;
const MIB = 1024 * 1024;
/** Allowance for the write-ahead log and shared pages. */
const SLACK_BYTES = 8 * MIB;
/** Allowance for the size of the write-ahead log after a checkpoint, and for one request in progress. */
const LOG_BYTES = 5 * MIB;
const ASK_EVERY_MS = 10;
const READING = /^(GET|DELETE) /;

interface Outcome {
  found: Record<string, Record<string, number>>;
  words: Record<string, string>;
}

/** Bodies that make a public route store something. The other routes get an empty object, which counts as well. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /agents/register': { agent_id: 'flood-{{n}}', capabilities: ['flood'] },
  'POST /v1/agents/register': { agent_id: 'flood-{{n}}' },
  'POST /v1/clusters': { name: 'Flood {{n}}' },
  'POST /v1/search': { query: 'flood' },
  'POST /team/:id/v1/:skill': { text: 'How?' },
  'POST /team/:id/v1/topup': { amount_lamports: 1_000_000 },
  'POST /chain': {
    jsonrpc: '2.0',
    id: 1,
    method: 'requestAirdrop',
    params: ['9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', 1_000_000_000],
  },
};
const POSTS = 'POST /v1/clusters/:id/boards/:bid/posts';

function listRoutes({ path }: BoardsCluster): object[] {
  const names = Object.keys(POLICY).filter((route) => POLICY[route] === 'public' && !READING.test(route));
  return [POSTS, ...names.filter((name) => name !== POSTS)].map((name) => {
    const [method, url = ''] = name.split(' ');
    const filled = url
      .replace('/v1/clusters/:id', path)
      .replace(':bid', 'jobs')
      .replace(':skill', 'ask')
      .replace(':id', 'consultant')
      .replace(/:\w+/g, 'keeper');
    const body = name === POSTS ? { title: 'Flood {{n}}', body: '{{fill}}' } : (BODIES[name] ?? {});
    return {
      name,
      method,
      path: name === POSTS ? `${filled}?agent=flood` : filled,
      body: JSON.stringify(body),
      headers: {},
      fill: name === POSTS ? POST_CHARS : 0,
    };
  });
}

const getSize = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const storeBytes = ({ root }: DrillProject) =>
  ['', '-wal'].reduce((sum, end) => sum + getSize(join(root, '.mesh/state', `mesh.db${end}`)), 0);

/** The operator's load: reads and creations, one request after another. */
class Operator {
  readonly ms: number[] = [];
  readonly faults: string[] = [];
  private isOver = false;
  private readonly working: Promise<void>;

  constructor(
    private readonly daemon: DaemonProcess,
    private readonly proof: Record<string, string>,
    private readonly name: string,
  ) {
    this.working = this.work();
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.working;
  }

  private async work(): Promise<void> {
    const { address } = this.daemon;
    for (let number = 0; !this.isOver; number += 1) {
      const requests: [string, string, number, object?][] = [
        ['GET', '/health', 200],
        ['GET', '/requests', 200],
        ['POST', '/v1/clusters', 201, { name: `Own ${number}` }],
        ['POST', '/v1/agents/register', 201, { agent_id: `own-${this.name}-${number}` }],
      ];
      for (const [method, path, status, body] of requests) {
        const startedMs = performance.now();
        const answer = await callHttp(address, method, path, body, this.proof);
        this.ms.push(performance.now() - startedMs);
        if (answer?.status !== status && answer?.status !== 200)
          this.faults.push(`${method} ${path}: ${answer?.status}`);
        await pause(ASK_EVERY_MS);
      }
    }
  }
}

const sum = (counts: Record<string, number>, isIt: (status: number) => boolean) =>
  Object.entries(counts).reduce((all, [status, count]) => all + (isIt(Number(status)) ? count : 0), 0);

async function flood(drill: Drill, daemon: DaemonProcess, routes: object[], seconds: number): Promise<Outcome> {
  const port = Number(new URL(daemon.address).port);
  return JSON.parse(await runAsOtherUser(drill, 'foreign-flood.mjs', { port, seconds, lines: LINES, routes }).outcome);
}

function judge(drill: Drill, { found }: Outcome, seconds: number, operator: Operator): void {
  const all = Object.values(found);
  const admitted = all.reduce((count, one) => count + sum(one, (status) => ![0, 429, 507].includes(status)), 0);
  const total = all.reduce((count, one) => count + sum(one, () => true), 0);
  drill.measure({
    measure: `requests of another user that were carried out, of ${total} to ${all.length} routes in ${seconds} s`,
    value: admitted,
    unit: 'requests',
    atMost: PEER_WRITES_BURST + PEER_WRITES_PER_SECOND * (seconds + 1),
  });
  const unlimited = Object.entries(found).filter(
    ([, one]) => sum(one, (status) => status === 429 || status === 507) === 0,
  );
  drill.none(
    'public routes that were never refused for the rate',
    'routes',
    unlimited.map(([name, one]) => `${name}: ${JSON.stringify(one)}`),
  );
  drill.none('requests of the operator that were not carried out meanwhile', 'requests', operator.faults);
  const p99 = quantile(operator.ms, 0.99);
  const latency = `p99 of ${operator.ms.length} requests of the operator meanwhile`;
  if (drill.bound('judgesLatency') === 1)
    drill.measure({ measure: latency, value: p99, unit: 'ms', atMost: 25, isTime: true });
  else drill.notRun(latency, `${p99.toFixed(1)} ms; judged in the full tier`);
}

/**
 * Records that the user had used all but one MiB of its budget before the daemon stopped. Returns false when the store
 * has no such record.
 */
function useUp({ root }: DrillProject): boolean {
  const store = openSqlite(join(root, '.mesh/state/mesh.db'));
  try {
    store
      .prepare('INSERT OR REPLACE INTO peer_usage VALUES (?, ?, ?)')
      .run(NOBODY_UID, PEER_STORE_BYTES - MIB, Date.now());
    return true;
  } catch {
    // The store of an earlier version has no `peer_usage` table.
    return false;
  } finally {
    store.close();
  }
}

/** Restarts the daemon with one MiB of the user's budget left, and floods it again. Returns the new daemon. */
async function floodAfterRestart(
  drill: Drill,
  project: DrillProject,
  stopped: DaemonProcess,
  routes: object[],
): Promise<DaemonProcess> {
  await stopped.stop();
  const isKept = useUp(project);
  const daemon = await project.start();
  const usedBytes = storeBytes(project);
  const operator = new Operator(daemon, project.proof(), 'second');
  const second = await flood(drill, daemon, routes.slice(0, 1), 1);
  await operator.end();
  drill.measure({
    measure: 'growth after a restart, with a megabyte of the budget left',
    value: (storeBytes(project) - usedBytes) / MIB,
    unit: 'MiB',
    atMost: (MIB + LOG_BYTES) / MIB,
    said: JSON.stringify(second.found[POSTS]),
  });
  drill.holds(
    'over the budget it is told what the limit is',
    second.words['507'] ?? 'no 507',
    isKept && /may take up 32\.0 MiB of the store/.test(second.words['507'] ?? ''),
  );
  drill.none(
    'requests of the operator that were not carried out when the other user had no room',
    'requests',
    operator.faults,
  );
  return daemon;
}

/** Deletes the cluster with the posts. The store must then be hardly larger than `beforeBytes`. */
async function deletePosts(
  drill: Drill,
  project: DrillProject,
  daemon: DaemonProcess,
  cluster: BoardsCluster,
  beforeBytes: number,
): Promise<void> {
  const fullBytes = storeBytes(project);
  await daemon.call('DELETE', cluster.path, undefined, cluster.admin);
  const smaller = await until(
    'the file is smaller',
    3_000,
    () => storeBytes(project),
    (bytes) => bytes < Math.min(fullBytes / 2, beforeBytes + SLACK_BYTES),
  ).catch(() => storeBytes(project));
  drill.measure({
    measure: `mesh.db and its log, of ${(fullBytes / MIB).toFixed(1)} MiB, after the posts were deleted`,
    value: smaller / MIB,
    unit: 'MiB',
    atMost: Math.min(fullBytes / 2, beforeBytes + SLACK_BYTES) / MIB,
  });
}

await runDrill('foreign-budget', async (drill) => {
  if (!mayBeAnother(drill)) return;
  const seconds = drill.bound('seconds');
  const project = drill.project();
  const daemon = await project.start();
  await daemon.call('PATCH', '/team/consultant', {
    pricing: { unit: 'request', amount: 5_000, currency: 'lamports', network: 'solana:local' },
    payment: { modes: ['x402', 'deposit'], network: 'solana:local' },
  });
  const cluster = await clusterWithBoards(daemon, ['jobs'], { name: 'Target', visibility: 'public' });
  const routes = listRoutes(cluster);
  const beforeBytes = storeBytes(project);
  const operator = new Operator(daemon, project.proof(), 'first');
  const first = await flood(drill, daemon, routes, seconds);
  await operator.end();
  judge(drill, first, seconds, operator);
  drill.measure({
    measure: `growth of mesh.db and its log in ${seconds} s`,
    value: (storeBytes(project) - beforeBytes) / MIB,
    unit: 'MiB',
    atMost:
      (Math.min(PEER_STORE_BYTES, (PEER_WRITES_BURST + PEER_WRITES_PER_SECOND * (seconds + 1)) * POST_CHARS * 4) +
        SLACK_BYTES) /
      MIB,
    said: JSON.stringify(first.found[POSTS]),
  });

  const restarted = await floodAfterRestart(drill, project, daemon, routes);
  await deletePosts(drill, project, restarted, cluster, beforeBytes);
});
