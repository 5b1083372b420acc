/**
 * Clients that hold their connection as long as possible: some send nothing, some send a head or a body byte by byte,
 * some request much and read nothing. `/health` must respond in time meanwhile, and also when thousands connect at
 * once. Each client must be disconnected within fifteen seconds. Takes a minute.
 *
 * `npx tsx scripts/hard/load/slow-clients.ts [--clients 400]`
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../bench/measure.js';
import { isLinux, mayHold, runDrill } from '../drill.js';
import { callHttp } from '../http-call.js';
import { openClientPorts } from './kernel-queue.js';

const CUT_WITHIN_S = 15;
/** Interval at which a slow client sends its next byte. */
const DRIP_EVERY_MS = 1_000;
/**
 * When the listen backlog is full, the kernel drops the connection request and the client repeats it after one second.
 * A time below that shows that no request was dropped.
 */
const RUSH_MAX_MS = 900;
const ASK_EVERY_MS = 25;
const LOOK_EVERY_MS = 1_000;

interface SlowKind {
  first: (host: string) => string;
  /** Text that is sent repeatedly. Without it the client only waits. */
  drip?: string;
  /** Reduces the number of clients by this factor, because the unread data is buffered for each. */
  oneOf?: number;
  readsNothing?: true;
}

/** Number of responses that exceeds what the kernel buffers for a connection that is not read. */
const UNREAD_ANSWERS = 24;

const KINDS: Readonly<Record<string, SlowKind>> = {
  'say nothing': { first: () => '' },
  'send a head slowly': { first: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, drip: 'x' },
  'send a body slowly': {
    first: (host) =>
      `POST /v1/clusters HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ` +
      '4096\r\n\r\n{"name":"',
    drip: 'x',
  },
  'read nothing': {
    first: (host) => `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(UNREAD_ANSWERS),
    oneOf: 8,
    readsNothing: true,
  },
};

let looked: { atMs: number; ports: ReadonlySet<number> } | undefined;

/** Returns whether the server holds the client's connection open. The state is at most half a second old. */
function isOpen(port: number, clientPort: number): boolean {
  const nowMs = performance.now();
  if (!looked || nowMs - looked.atMs > LOOK_EVERY_MS / 2) looked = { atMs: nowMs, ports: openClientPorts(port) };
  return looked.ports.has(clientPort);
}

/** Runs one client. Resolves with the seconds until it was disconnected, or with the limit when it was not. */
async function hold(port: number, { first, drip, readsNothing }: SlowKind, limitMs: number): Promise<number> {
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1_000;
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  const cut = new Promise<number>((resolve) => {
    socket = connect({ port, host: '127.0.0.1' });
    if (!readsNothing) socket.resume();
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(seconds()));
    socket.write(first(`127.0.0.1:${port}`));
    if (drip !== undefined) timer = setInterval(() => socket?.write(drip), DRIP_EVERY_MS);
    // A client that does not read does not learn that it was disconnected. The kernel's connection table is read
    // instead.
    const look = () => void (socket?.localPort && !isOpen(port, socket.localPort) && resolve(seconds()));
    if (readsNothing) looking = setInterval(look, LOOK_EVERY_MS);
  });
  const held = await Promise.race([cut, pause(limitMs, limitMs / 1_000)]);
  for (const one of [timer, looking]) clearInterval(one);
  socket?.destroy();
  return held;
}

/** Returns the duration of a `/health` request in milliseconds when `clients` connect at the same moment. */
async function rush(address: string, port: number, clients: number): Promise<number> {
  const sockets = Array.from({ length: clients }, () =>
    connect({ port, host: '127.0.0.1' }).on('error', () => undefined),
  );
  const askedMs = performance.now();
  const answer = await callHttp(address, 'GET', '/health');
  const ms = performance.now() - askedMs;
  for (const socket of sockets) socket.destroy();
  return answer?.status === 200 ? ms : Number.POSITIVE_INFINITY;
}

await runDrill('slow-clients', async (drill) => {
  const daemon = await drill.project().start();
  const port = Number(new URL(daemon.address).port);
  const rushing = drill.bound('rush');
  if (mayHold(drill, rushing)) {
    drill.measure({
      measure: `/health when ${rushing} connect at the same moment`,
      value: await rush(daemon.address, port, rushing),
      unit: 'ms',
      atMost: RUSH_MAX_MS,
      isTime: true,
    });
  }
  for (const [what, kind] of Object.entries(KINDS)) {
    if (kind.readsNothing && !isLinux(drill, 'the system tells which connections are open')) continue;
    const clients = Math.ceil(drill.bound('clients') / (kind.oneOf ?? 1));
    let isOver = false;
    const holding = Promise.all(
      Array.from({ length: clients }, () => hold(port, kind, (CUT_WITHIN_S + 5) * 1_000)),
    ).finally(() => {
      isOver = true;
    });
    const answersMs: number[] = [];
    let unanswered = 0;
    while (!isOver) {
      const askedMs = performance.now();
      const answer = await callHttp(daemon.address, 'GET', '/health');
      answersMs.push(performance.now() - askedMs);
      if (answer?.status !== 200) unanswered += 1;
      await pause(ASK_EVERY_MS);
    }
    const longest = Math.max(...(await holding));
    drill.measure({
      measure: `${clients} clients that ${what}: the last is cut after`,
      value: longest,
      unit: 's',
      atMost: CUT_WITHIN_S,
    });
    drill.measure({
      measure: `${clients} clients that ${what}: p99 of /health`,
      value: quantile(answersMs, 0.99),
      unit: 'ms',
      atMost: 100,
      isTime: true,
    });
    drill.measure({
      measure: `${clients} clients that ${what}: /health without its answer`,
      value: unanswered,
      unit: 'requests',
      exactly: 0,
    });
  }
});
