/**
 * Sends the largest accepted body to every route that takes a body and is open to callers other than the operator. The
 * bodies have the shapes that are most expensive to read. Several are sent concurrently, also from another user where
 * this process may change its user. Meanwhile the delay of the daemon's event loop is measured inside the daemon, and
 * `/health` is requested. The quick tier sends one of the general shapes to each route, in rotation. Takes ten seconds.
 * Linux only.
 *
 * `npx tsx scripts/hard/load/loop-holders.ts [--route "POST /chain"] [--list]`
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BODY_LIMIT } from '../../../daemon/contract/limits.js';
import type { Registration } from '../../../daemon/contract/network/hub.js';
import { walletKey } from '../../../daemon/features/chains/wallet-key.js';
import { SigningKey } from '../../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../../daemon/lib/crypto/mesh-sig.js';
import { POLICY } from '../../../daemon/testing/policy.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { quantile } from '../../bench/measure.js';
import { type Drill, isLinux, receive, runDrill } from '../drill.js';
import { Gauge } from '../gauge.js';
import { clusterWithBoards } from './boards.js';
import { type Chain, listShapes, type Shape } from './worst-bodies.js';

const HELD_MAX_MS = 25;
const NOBODY = 65_534;
/** Number of concurrent bodies per user. */
const AT_ONCE = 2;
/** A shape that blocks the event loop does so on every try. Load from elsewhere on the machine affects single tries. */
const TRIES = 4;
const ASK_EVERY_MS = 4;
const OVER = BODY_LIMIT + 1;
/** Tests this route only. The name is that of the policy. */
const ONLY = process.argv[process.argv.indexOf('--route') + 1 || -1];
const SENDER = fileURLToPath(new URL('../input/body-sender.mjs', import.meta.url));

interface Sent {
  statuses: number[];
  limit: number | null;
  text: string;
}

interface Plan {
  port: number;
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  bodies: readonly string[];
}

/**
 * Child processes that send the bodies: one of the daemon's own user, and one of another user if this process is root.
 */
class Senders {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async start(drill: Drill): Promise<Senders> {
    const users = process.getuid?.() === 0 ? [{}, { uid: NOBODY, gid: NOBODY }] : [{}];
    if (users.length === 1) drill.notRun('bodies of another user', 'only root can become one');
    const children = await Promise.all(
      users.map(async (user) => {
        const child = fork(SENDER, [], { ...user, cwd: '/', execArgv: [], env: { PATH: process.env['PATH'] } });
        drill.atEnd(() => void child.kill('SIGKILL'));
        await receive(child);
        return child;
      }),
    );
    return new Senders(children);
  }

  /** Makes all children send at once. Returns the responses that each received. */
  send(plan: Plan): Promise<Sent[]> {
    return Promise.all(
      this.children.map(async (child) => {
        child.send({ ...plan, atOnce: AT_ONCE });
        return receive<Sent>(child);
      }),
    );
  }
}

/** Requests `/health` repeatedly over one connection until it is stopped, and records the duration of each request. */
class Health {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private isOver = false;
  private tookMs: number[] = [];
  private readonly asking: Promise<void>;

  constructor(private readonly address: string) {
    this.asking = this.askOn();
  }

  /** Returns the durations in milliseconds recorded since the previous call. */
  take(): number[] {
    const taken = this.tookMs;
    this.tookMs = [];
    return taken;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.asking;
    this.agent.destroy();
  }

  private async askOn(): Promise<void> {
    while (!this.isOver) {
      const startedMs = performance.now();
      await new Promise<void>((resolve) => {
        const asked = request(`${this.address}/health`, { agent: this.agent }, (answer) => {
          answer.resume().once('close', resolve);
        });
        asked.once('error', () => resolve());
        asked.end();
      });
      this.tookMs.push(performance.now() - startedMs);
      await pause(ASK_EVERY_MS);
    }
  }
}

interface Target {
  port: number;
  chain: Chain;
  key: SigningKey;
  path: (url: string) => string;
  headers: (url: string) => Record<string, string>;
}

/**
 * Creates what the bodies refer to: a member's token, an agent of each API, a cluster with a board, and a wallet with a
 * history.
 */
async function getTarget(daemon: DaemonProcess): Promise<Target> {
  const member = await daemon.getToken('consultant');
  const hub = await daemon.call<Registration>('POST', '/agents/register', { agent_id: 'keeper', capabilities: [] });
  const v1 = await daemon.call<Registration>('POST', '/v1/agents/register', { agent_id: 'keeper' });
  const { made, admin } = await clusterWithBoards(daemon, ['jobs']);
  const seed = SigningKey.newSeed();
  const { address } = walletKey(seed);
  const rpc = async <Result>(method: string, params: unknown[]) =>
    (await daemon.call<{ result: Result }>('POST', '/chain', { jsonrpc: '2.0', id: 1, method, params })).result;
  const signatures: string[] = [];
  for (let number = 0; number < 60; number += 1) signatures.push(await rpc('requestAirdrop', [address, 1_000_000_000]));
  const { value } = await rpc<{ value: { blockhash: string } }>('getLatestBlockhash', []);
  return {
    port: Number(new URL(daemon.address).port),
    chain: { blockhash: value.blockhash, seed, signatures },
    key: new SigningKey(SigningKey.newSeed()),
    path: (url) => {
      const ids = url.startsWith('/v1/clusters') ? made.cluster_id : 'consultant';
      const path = url
        .replace(':id', ids)
        .replace(':bid', 'jobs')
        .replace(':agent_id', 'keeper')
        .replace(':skill', 'ask')
        .replace('*', 'v1/message:send')
        .replace(/:\w+$|:\w+(?=\/)/g, 'x');
      return url.includes('/posts') ? `${path}?agent=keeper` : path;
    },
    headers: (url) => {
      const accept = { accept: 'application/json, text/event-stream' };
      if (url.startsWith('/v1/clusters')) return { ...accept, ...admin };
      const token = url.startsWith('/v1/') ? v1.token : url.startsWith('/agents') ? hub.token : member;
      return { ...accept, authorization: `Bearer ${token}` };
    },
  };
}

/** Effect of one shape on the daemon. Each time is the minimum over all tries. */
interface Held {
  what: string;
  /** Longest hold of the event loop, in processor time. `loopMs` is the same in wall-clock time. */
  workMs: number;
  loopMs: number;
  healthMs: number;
  statuses: string;
}

interface Trial {
  route: string;
  method: string;
  url: string;
  limit: number;
}

class Trials {
  readonly held: Held[] = [];
  readonly health: number[] = [];

  constructor(
    private readonly target: Target,
    private readonly senders: Senders,
    private readonly gauge: Gauge,
    private readonly prober: Health,
  ) {}

  /** Returns the largest body in bytes that a route accepts. The route states it when it rejects a larger body. */
  async getLimit(method: string, url: string): Promise<number> {
    const plan = this.plan(method, url, [' '.repeat(OVER)]);
    const named = (await this.senders.send(plan)).flatMap(({ limit }) => limit ?? []);
    // A route that rejects the caller first, or that reads no body, does not state a limit.
    return named.length > 0 ? Math.max(...named) : BODY_LIMIT;
  }

  async tryShape({ route, method, url, limit }: Trial, { name, body }: Shape): Promise<void> {
    const best: Held = {
      what: `${route}, ${name}`,
      workMs: Infinity,
      loopMs: Infinity,
      healthMs: Infinity,
      statuses: '',
    };
    for (let tried = 0; tried < TRIES && Math.max(best.workMs, best.loopMs, best.healthMs) > HELD_MAX_MS; tried += 1) {
      const plan = this.plan(
        method,
        url,
        Array.from({ length: AT_ONCE }, () => body(limit)),
      );
      await this.gauge.held();
      this.prober.take();
      const sent = await this.senders.send(plan);
      const tookMs = this.prober.take();
      this.health.push(...tookMs);
      const { heldMs, maxMs } = await this.gauge.held();
      best.workMs = Math.min(best.workMs, heldMs);
      best.loopMs = Math.min(best.loopMs, maxMs);
      best.healthMs = Math.min(best.healthMs, Math.max(0, ...tookMs));
      best.statuses = [...new Set(sent.flatMap(({ statuses }) => statuses))].join('/');
    }
    this.held.push(best);
  }

  private plan(method: string, url: string, bodies: readonly string[]): Plan {
    const { port, key } = this.target;
    const path = this.target.path(url);
    const body = bodies[0] ?? '';
    const headers = { ...this.target.headers(url) };
    if (url.endsWith('/feedback')) headers['mesh-sig'] = signMeshSig(key, { method, path, body }, Date.now());
    return { port, method, path, headers, bodies };
  }
}

const ROUTES = Object.entries(POLICY)
  .filter(([route, access]) => !route.startsWith('GET ') && access !== 'operator' && access !== 'page')
  // Routes that delete the acting agent run last.
  .sort(([a], [b]) => Number(a.startsWith('DELETE')) - Number(b.startsWith('DELETE')))
  .map(([route]) => route)
  .filter((route) => ONLY === undefined || route === ONLY);

await runDrill('loop-holders', async (drill) => {
  if (!isLinux(drill, 'whose a connection is, and what a daemon holds, are told by the kernel')) return;
  const project = drill.project({ 'README.md': '# Lamp\n\nIt lights.\n' });
  const gauge = new Gauge(project);
  const daemon = await project.start(gauge.environment);
  const target = await getTarget(daemon);
  const senders = await Senders.start(drill);
  const prober = new Health(daemon.address);
  const trials = new Trials(target, senders, gauge, prober);
  for (const [index, route] of ROUTES.entries()) {
    const [method = '', url = ''] = route.split(' ');
    // This request also loads the modules that the route needs on first use.
    const limit = await trials.getLimit(method, url);
    for (const shape of listShapes(route, target.chain, index, drill.bound('general'))) {
      await trials.tryShape({ route, method, url, limit }, shape);
    }
  }
  await prober.stop();
  report(drill, trials, readFileSync(join(project.root, '.mesh/state/daemon.log'), 'utf8'));
});

function report(drill: Drill, { held, health }: Trials, log: string): void {
  const worst = [...held].sort((a, b) => b.workMs - a.workMs);
  const words = worst.map(
    ({ what, workMs, loopMs, statuses }) =>
      `${what} (${statuses}): ${workMs.toFixed(1)} ms of work, ${loopMs.toFixed(1)} ms by the clock`,
  );
  if (process.argv.includes('--list')) console.error(words.join('\n'));
  const faults = log.split('\n').filter((line) => /"level":(50|60)/.test(line));
  drill.none(
    'errors in its log',
    'lines',
    faults.map((line) => line.slice(0, 300)),
  );
  drill.measure({
    measure:
      `work of the daemon for which its event loop is held, at the longest, by ${held.length} shapes to ` +
      `${ROUTES.length} routes`,
    value: worst[0]?.workMs ?? 0,
    unit: 'ms',
    atMost: HELD_MAX_MS,
    said: words.slice(0, 5).join('; '),
  });
  const [late] = [...held].sort((a, b) => b.loopMs - a.loopMs);
  drill.measure({
    measure: 'the event loop is held, by the clock, at the longest',
    value: late?.loopMs ?? 0,
    unit: 'ms',
    atMost: HELD_MAX_MS,
    isTime: true,
    said: `${late?.what}`,
  });
  const [slow] = [...held].sort((a, b) => b.healthMs - a.healthMs);
  drill.measure({
    measure: '/health takes meanwhile, at the longest',
    value: slow?.healthMs ?? 0,
    unit: 'ms',
    atMost: HELD_MAX_MS,
    isTime: true,
    said: `${slow?.what}; p99 of ${health.length} is ${quantile(health, 0.99).toFixed(1)} ms`,
  });
}
