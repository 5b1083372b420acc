/**
 * How fast one member's words reach a full room: the Wall beside `ws` sending to each socket and Socket.IO broadcasting, all on one core, the load on
 * another, in rounds that take turns. The load counts bytes and reads none; its own limit is printed. Brokers that are not installed are said to be absent.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { clientFrame, Lines } from './fanout-load.js';
import { median, report, rounded } from './measure.js';

const ROUNDS = Number(process.env['FANOUT_ROUNDS'] ?? 5);
const LISTENERS = 1_000;
/** More who join for what they weigh. As ghosts, so that it is not their announcement to each other that is measured. */
const CROWD = 4_000;
/** Deliveries of one round and server: enough for half a second at the slowest. */
const SHARE = Number(process.env['FANOUT_SHARE'] ?? 1);

const KINDS = ['ours', 'ws', 'socket.io'] as const;
type Kind = (typeof KINDS)[number];

const folder = fileURLToPath(new URL('.', import.meta.url));
const cores = availableParallelism();
const isPinned = process.platform === 'linux' && cores >= 2;

function installPeers(): void {
  if (existsSync(new URL('./node_modules/socket.io/wrapper.mjs', import.meta.url))) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
}

interface Server {
  child: ChildProcess;
  port: number;
  path: string;
}

function start(kind: Kind | 'blast'): Promise<Server> {
  const node = [process.execPath, '--expose-gc', '--import', 'tsx', `${folder}fanout-server.ts`, kind];
  const [program = '', ...args] = isPinned ? ['taskset', '-c', '0', ...node] : node;
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', (word: { port: number; path: string }) => resolve({ child, ...word }));
    child.once('exit', (exit) => reject(new Error(`The ${kind} server ended with ${exit}.`)));
  });
}

async function stop({ child }: Server): Promise<void> {
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

interface Spent {
  cpuMs: number;
  rssKb: number;
}

/** What a server has used so far, after its garbage was collected if so asked. */
const spent = ({ child }: Server, word: 'look' | 'collect' = 'look') =>
  new Promise<Spent>((resolve) => {
    child.once('message', (answer) => resolve(answer as Spent));
    child.send(word);
  });

const peakKb = ({ child }: Server) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);

/** What a broadcast of `size` characters is to each server. */
const broadcast = (kind: Kind, size: number) => {
  const text = 'x'.repeat(size);
  return clientFrame(kind === 'ours' ? `{"payload":"${text}"}` : kind === 'ws' ? text : `42["m","${text}"]`);
};

/** Keeps this process on its core, or lets it see all of them, which is what is reported of the machine. */
function pin(isOn: boolean): void {
  if (isPinned) execFileSync('taskset', ['-acp', isOn ? '1' : `0-${cores - 1}`, String(process.pid)], { stdio: 'ignore' });
}

function say(measure: Parameters<typeof report>[0]): void {
  pin(false);
  report(measure);
  pin(true);
}

interface Told {
  measure: string;
  unit: string;
  /** By server, round by round. */
  values: Record<Kind, number[]>;
  /** Peers and the least or most that ours over theirs may be. */
  goals: Partial<Record<Exclude<Kind, 'ours'>, number>>;
  isLessBetter?: boolean;
}

function tell({ measure, unit, values, goals, isLessBetter = false }: Told): void {
  const digits = isLessBetter ? 1 : 0;
  for (const [name, goal] of Object.entries(goals) as [Exclude<Kind, 'ours'>, number][]) {
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
      goal: `${isLessBetter ? '<=' : '>='} ${goal}×`,
      pass: isLessBetter ? ratio <= goal : ratio >= goal,
    });
  }
}

const none = (): Record<Kind, number[]> => ({ ours: [], ws: [], 'socket.io': [] });

installPeers();
pin(true);
for (const [name, program] of [
  ['NATS', 'nats-server'],
  ['mosquitto', 'mosquitto'],
]) {
  const isThere =
    (process.env['PATH'] ?? '').split(':').some((place) => existsSync(`${place}/${program}`)) || existsSync(`/usr/sbin/${program}`);
  console.error(`${name}: ${isThere ? 'installed, not driven by this bench yet' : 'not installed, so not measured'}.`);
}

const servers = {} as Record<Kind, Server>;
const rooms = {} as Record<Kind, Lines>;
const perConnection = none();
const hello = { ours: undefined, ws: undefined, 'socket.io': '40' };
try {
  for (const kind of KINDS) {
    const server = await start(kind);
    servers[kind] = server;
    rooms[kind] = await Lines.open(server.port, server.path, LISTENERS + 1, hello[kind]);
  }
  const blast = await start('blast');
  const filled = await Lines.open(blast.port, blast.path, LISTENERS + 1);
  const limit = await filled.intake(1_000);
  filled.close();
  await stop(blast);

  const frames = [200, 4_000].map((size) => ({
    size,
    of: Object.fromEntries(KINDS.map((kind) => [kind, broadcast(kind, size)])) as Record<Kind, Buffer>,
  }));
  for (const { size, of } of frames) {
    const sizes = {} as Record<Kind, number>;
    for (const kind of KINDS) sizes[kind] = await rooms[kind].sizeOf(of[kind]);
    say({
      bench: 'fanout',
      measure: `the load's own limit, ${size} B`,
      unit: 'deliveries/s',
      ours: rounded(limit / sizes.ours, 0),
      rounds: 1,
    });
    const plans: [window: number, goals: Told['goals']][] =
      size === 200
        ? [
            [1, { ws: 1.2 }],
            [2, { ws: 2.2, 'socket.io': 3.5 }],
            [32, { ws: 15, 'socket.io': 25 }],
          ]
        : [[32, { ws: 6, 'socket.io': 8 }]];
    for (const [window, goals] of plans) {
      const values = none();
      const work = none();
      for (let round = -1; round < ROUNDS; round += 1) {
        for (const kind of KINDS) {
          const messages = Math.ceil(SHARE * (window < 32 ? 200 : kind === 'ours' ? (size === 200 ? 4_000 : 800) : 256));
          const beforeMs = (await spent(servers[kind])).cpuMs;
          const rate = await rooms[kind].rate(of[kind], sizes[kind], messages, window);
          const cpuMs = (await spent(servers[kind])).cpuMs - beforeMs;
          // The first round warms up.
          if (round < 0) continue;
          values[kind].push(rate);
          work[kind].push((cpuMs * 1_000) / (messages * LISTENERS));
        }
      }
      const measure = `${size} B to ${LISTENERS}, ${window} in flight`;
      tell({ measure, unit: 'deliveries/s', values, goals });
      say({
        bench: 'fanout',
        measure: `${measure}: the server's time for one`,
        unit: 'µs',
        ours: rounded(median(work.ours), 2),
        peer: { name: 'ws', value: rounded(median(work.ws), 2) },
        ratio: rounded(median(work.ours) / median(work.ws), 2),
        rounds: ROUNDS,
      });
    }
    if (size !== 200) continue;
    const p99 = none();
    for (let round = 0; round < Math.min(3, ROUNDS); round += 1) {
      for (const kind of KINDS) {
        const delays = await rooms[kind].delays(of[kind], sizes[kind], 200, 100);
        p99[kind].push(delays[Math.floor(delays.length * 0.99)] as number);
      }
    }
    tell({ measure: 'p99 at 100,000 deliveries/s', unit: 'ms', values: p99, goals: { ws: 1.1, 'socket.io': 0.75 }, isLessBetter: true });
  }

  const directs = none();
  const direct = clientFrame(`{"to":"s${LISTENERS}","payload":"${'x'.repeat(200)}"}`);
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const kind of ['ours', 'ws'] as const) {
      const rate = await rooms[kind].directs(direct, Math.ceil(SHARE * 8_000), 8);
      if (round >= 0) directs[kind].push(rate);
    }
  }
  tell({ measure: 'direct messages with acks, 8 in flight', unit: '/s', values: directs, goals: { ws: 1.4 } });
  for (const kind of KINDS) {
    const server = servers[kind];
    const beforeKb = (await spent(server, 'collect')).rssKb;
    const crowd = await Lines.open(server.port, server.path.replace('agent=', 'vis=ghost&agent=m'), CROWD, hello[kind]);
    perConnection[kind].push(((await spent(server, 'collect')).rssKb - beforeKb) / CROWD);
    crowd.close();
  }
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
  console.error(`Memory of a connection: ${KINDS.map((kind) => `${kind} ${rounded(median(perConnection[kind]))} KB`).join(', ')}.`);
  console.error(`Peak memory: ${KINDS.map((kind) => `${kind} ${rounded(peakKb(servers[kind]) / 1024)} MB`).join(', ')}.`);
} finally {
  for (const kind of KINDS) {
    rooms[kind]?.close();
    if (servers[kind]) await stop(servers[kind]);
  }
}
