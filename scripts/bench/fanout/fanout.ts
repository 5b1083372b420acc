/**
 * Measures how fast a member's messages reach a full cluster: the Wall, `ws` sending to each socket, Socket.IO
 * broadcasting, and brokers, all on one core and the load on another, in alternating rounds. The load counts bytes
 * without parsing them; its own limit is printed. Brokers that are not installed are reported as absent. Usage:
 * `npx tsx scripts/bench/fanout/fanout.ts [--rounds 5]`, six minutes; `--rounds 1` for a quick look.
 */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { median, quantile, rounded } from '../measure.js';
import { installPeers, pin, SERVER_CORE, say, startNode, stopServer } from '../pinned.js';
import { BROKERS, type BrokerName, findBroker, spentBy, startBroker } from './fanout-brokers.js';
import { Lines } from './fanout-load.js';
import { clientFrame, webSocketGreeting } from './fanout-websocket.js';

const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 5 : Number(process.argv[at + 1]);
const LISTENERS = 1_000;
/**
 * Number of connections in the memory measurement. They join as ghosts, so that their announcements to each other are
 * not measured.
 */
const CROWD = ROUNDS > 1 ? 5_000 : 1_000;
/** Number of messages sent to these connections for the peak memory measurement. */
const CROWD_MESSAGES = 64;
/** Share of the messages of a full round. A full round takes half a second at the slowest. */
const SHARE = ROUNDS > 1 ? 1 : 0.1;

const NODE_KINDS = ['ours', 'ws', 'socket.io'] as const;
type NodeKind = (typeof NODE_KINDS)[number];
type Kind = NodeKind | BrokerName;
const brokers = (Object.keys(BROKERS) as BrokerName[]).filter((name) => findBroker(name) !== undefined);
const KINDS: readonly Kind[] = [...NODE_KINDS, ...brokers];
const isBroker = (kind: Kind | 'blast'): kind is BrokerName => kind in BROKERS;

interface Server {
  child: ChildProcess;
  port: number;
  path: string;
}

async function start(kind: Kind | 'blast'): Promise<Server> {
  if (isBroker(kind)) return { ...(await startBroker(kind, findBroker(kind) as string, SERVER_CORE)), path: '/' };
  const args = ['--expose-gc', '--import', 'tsx', fileURLToPath(new URL('./fanout-server.ts', import.meta.url)), kind];
  const { child, word } = await startNode<{ port: number; path: string }>(args);
  return { child, ...word };
}

interface Spent {
  cpuMs: number;
  rssKb: number;
}

/** Returns the resources that a server has used so far; with `collect` after garbage collection. */
const spent = ({ child }: Server, word: 'look' | 'collect' = 'look') =>
  new Promise<Spent>((resolve) => {
    if (!child.connected) return resolve(spentBy(child.pid as number));
    child.once('message', (answer) => resolve(answer as Spent));
    child.send(word);
  });

const peakKb = ({ child }: Server) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);
/** Resets the system's peak counter, so that the memory of the server's start is not included. */
const forgetPeak = ({ child }: Server) => writeFileSync(`/proc/${child.pid}/clear_refs`, '5');

/** Returns a broadcast of `size` characters in the format of each server. */
const broadcast = (kind: Kind, size: number) => {
  const text = 'x'.repeat(size);
  if (isBroker(kind)) return BROKERS[kind].message(text);
  return clientFrame(kind === 'ours' ? `{"payload":"${text}"}` : kind === 'ws' ? text : `42["m","${text}"]`);
};

/** Returns the number of messages of one round. Fast servers get more, so that all take about as long. */
function listMessages(kind: Kind, size: number, window: number): number {
  if (window < 32) return 200;
  const isSwift = kind === 'ours' || kind === 'NATS' || kind === 'NATS over TCP';
  return (isSwift ? 4_000 : 256) / (size === 200 ? 1 : isSwift ? 8 : 2);
}

interface Measured {
  measure: string;
  unit: string;
  /** Values by server and round. */
  values: Record<Kind, number[]>;
  /** Peers with the minimum or maximum ratio of ours to theirs; null where the value is only reported. */
  goals: Partial<Record<Exclude<Kind, 'ours'>, number | null>>;
  isLessBetter?: boolean;
}

function tell({ measure, unit, values, goals, isLessBetter = false }: Measured): void {
  const digits = isLessBetter ? 1 : 0;
  for (const [name, goal] of Object.entries(goals) as [Exclude<Kind, 'ours'>, number | null][]) {
    if (values[name].length === 0) continue;
    const ratios = values.ours.map((value, round) => value / (values[name][round] as number));
    const ratio = median(ratios);
    say({
      bench: 'fanout',
      measure,
      unit,
      ours: rounded(median(values.ours), digits),
      min: rounded(Math.min(...values.ours), digits),
      max: rounded(Math.max(...values.ours), digits),
      peer: { name, value: rounded(median(values[name]), digits) },
      ratio: rounded(ratio, 2),
      rounds: values.ours.length,
      ...(goal !== null && {
        goal: `${isLessBetter ? '<=' : '>='} ${goal}×`,
        pass: isLessBetter ? ratio <= goal : ratio >= goal,
      }),
    });
  }
}

/** Reports the processor time of the server for one delivery, which does not depend on other load of the machine. */
function printWork(measure: string, work: Record<Kind, number[]>): void {
  say({
    bench: 'fanout',
    measure: `${measure}: the server's time for one`,
    unit: 'µs',
    ours: rounded(median(work.ours), 2),
    peer: { name: 'ws', value: rounded(median(work.ws), 2) },
    ratio: rounded(median(work.ours) / median(work.ws), 2),
    rounds: work.ours.length,
  });
}

const none = (): Record<Kind, number[]> => ({
  ours: [],
  ws: [],
  'socket.io': [],
  NATS: [],
  'NATS over TCP': [],
  mosquitto: [],
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
installPeers('socket.io/wrapper.mjs');
pin(true);
for (const name of Object.keys(BROKERS) as BrokerName[]) {
  if (!brokers.includes(name))
    console.error(`${name}: absent, not measured (apt-get install ${BROKERS[name].program}).`);
}

const servers = {} as Record<Kind, Server>;
const linesByKind = {} as Record<Kind, Lines>;
const perConnection = none();
const peakMb = none();
const greeting = (kind: Kind) =>
  isBroker(kind) ? BROKERS[kind].greeting : webSocketGreeting(kind === 'socket.io' ? '40' : undefined);
try {
  for (const kind of KINDS) {
    // Uses a fresh server, because earlier work of a server distorts the memory that a connection adds.
    const server = await start(kind);
    const beforeKb = (await spent(server, 'collect')).rssKb;
    forgetPeak(server);
    const crowd = await Lines.open(
      server.port,
      server.path.replace('agent=', 'vis=ghost&agent='),
      CROWD,
      greeting(kind),
    );
    perConnection[kind].push(((await spent(server, 'collect')).rssKb - beforeKb) / CROWD);
    const frame = broadcast(kind, 200);
    await crowd.rate(frame, await crowd.getSize(frame), CROWD_MESSAGES, 32);
    peakMb[kind].push((peakKb(server) - beforeKb) / 1_024);
    crowd.close();
    await stopServer(server.child);
  }
  for (const kind of KINDS) {
    const server = await start(kind);
    servers[kind] = server;
    linesByKind[kind] = await Lines.open(server.port, server.path, LISTENERS + 1, greeting(kind));
  }
  const blast = await start('blast');
  const filled = await Lines.open(blast.port, blast.path, LISTENERS + 1);
  const limit = await filled.intake(1_000);
  filled.close();
  await stopServer(blast.child);

  const frames = [200, 4_000].map((size) => ({
    size,
    of: Object.fromEntries(KINDS.map((kind) => [kind, broadcast(kind, size)])) as Record<Kind, Buffer>,
  }));
  for (const { size, of } of frames) {
    const sizes = {} as Record<Kind, number>;
    for (const kind of KINDS) sizes[kind] = await linesByKind[kind].getSize(of[kind]);
    say({
      bench: 'fanout',
      measure: `the load's own limit, ${size} B`,
      unit: 'deliveries/s',
      ours: rounded(limit / sizes.ours, 0),
      rounds: 1,
    });
    const plans: [window: number, goals: Measured['goals']][] =
      size === 200
        ? [
            [1, { ws: 1.2, 'socket.io': null, NATS: null, 'NATS over TCP': null, mosquitto: null }],
            [2, { ws: 2.2, 'socket.io': 3.5, NATS: 1.6, 'NATS over TCP': null, mosquitto: null }],
            [32, { ws: 15, 'socket.io': 25, NATS: 3, 'NATS over TCP': null, mosquitto: 20 }],
          ]
        : [[32, { ws: 6, 'socket.io': 8, NATS: 4, 'NATS over TCP': null, mosquitto: null }]];
    for (const [window, goals] of plans) {
      const values = none();
      const work = none();
      for (let round = -1; round < ROUNDS; round += 1) {
        for (const kind of KINDS) {
          const messages = Math.ceil(SHARE * listMessages(kind, size, window));
          const beforeMs = (await spent(servers[kind])).cpuMs;
          const rate = await linesByKind[kind].rate(of[kind], sizes[kind], messages, window);
          const cpuMs = (await spent(servers[kind])).cpuMs - beforeMs;
          // The first round is a warm-up.
          if (round < 0) continue;
          values[kind].push(rate);
          work[kind].push((cpuMs * 1_000) / (messages * LISTENERS));
        }
      }
      const measure = `${size} B to ${LISTENERS}, ${window} in flight`;
      tell({ measure, unit: 'deliveries/s', values, goals });
      printWork(measure, work);
    }
    if (size !== 200) continue;
    const p99 = none();
    for (let round = 0; round < Math.min(3, ROUNDS); round += 1) {
      for (const kind of KINDS) {
        const delays = await linesByKind[kind].delays(of[kind], sizes[kind], 200, 100);
        p99[kind].push(quantile(delays, 0.99));
      }
    }
    tell({
      measure: 'p99 at 100,000 deliveries/s',
      unit: 'ms',
      values: p99,
      goals: { ws: 1.1, 'socket.io': 0.75, NATS: 0.35, 'NATS over TCP': null, mosquitto: null },
      isLessBetter: true,
    });
  }

  const directs = none();
  const directWork = none();
  const direct = clientFrame(`{"to":"s${LISTENERS}","payload":"${'x'.repeat(200)}"}`);
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const kind of ['ours', 'ws'] as const) {
      const messages = Math.ceil(SHARE * 8_000);
      const beforeMs = (await spent(servers[kind])).cpuMs;
      const rate = await linesByKind[kind].directs(direct, messages, 8);
      const cpuMs = (await spent(servers[kind])).cpuMs - beforeMs;
      if (round < 0) continue;
      directs[kind].push(rate);
      directWork[kind].push((cpuMs * 1_000) / messages);
    }
  }
  tell({ measure: 'direct messages with acks, 8 in flight', unit: '/s', values: directs, goals: { ws: 1.4 } });
  printWork('direct messages with acks, 8 in flight', directWork);
  say({
    bench: 'fanout',
    measure: `memory of a connection, ${CROWD} of them`,
    unit: 'KB',
    ours: rounded(median(perConnection.ours)),
    peer: { name: 'socket.io', value: rounded(median(perConnection['socket.io'])) },
    ratio: rounded(median(perConnection.ours) / median(perConnection['socket.io']), 2),
    rounds: 1,
    goal: '<= 12 KB',
    pass: median(perConnection.ours) <= 12,
  });
  console.error(
    `Memory of a connection: ${KINDS.map((kind) => `${kind} ${rounded(median(perConnection[kind]))} KB`).join(', ')}.`,
  );
  tell({
    measure: `peak memory above idle, ${CROWD} connections that get ${CROWD_MESSAGES} messages`,
    unit: 'MB',
    values: peakMb,
    goals: { ws: null, 'socket.io': 0.35, NATS: null, 'NATS over TCP': null, mosquitto: null },
    isLessBetter: true,
  });
} finally {
  for (const kind of KINDS) {
    linesByKind[kind]?.close();
    if (servers[kind]) await stopServer(servers[kind].child);
  }
}
