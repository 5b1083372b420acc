/**
 * Clients that hold their connection as long as they can: some say nothing, some send a head or a body byte by byte, some ask for much and read none of it.
 * /health must answer in time beside all of them, and when thousands connect at once, and each must be cut within fifteen seconds. `npx tsx scripts/hard/slow-clients.ts [--clients 400]`, a minute.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../bench/measure.js';
import { isLinux, mayHold, runDrill } from './drill.js';
import { callOf } from './http-call.js';
import { openClientPorts } from './kernel-queue.js';

const CUT_WITHIN_S = 15;
/** How often a slow client sends its next byte. */
const DRIP_EVERY_MS = 1_000;
/** Whoever finds no place among those who wait to be taken knocks again after a second. */
const RUSH_MAX_MS = 900;
const ASK_EVERY_MS = 25;
const LOOK_EVERY_MS = 1_000;

interface SlowKind {
  first: (host: string) => string;
  /** What is sent again and again; nothing when the client only waits. */
  drip?: string;
  /** One of so many only: what they leave unread is kept for each. */
  oneOf?: number;
  readsNothing?: true;
}

/** More than the system takes for a connection whose client reads none of it. */
const UNREAD_ANSWERS = 24;

const KINDS: Readonly<Record<string, SlowKind>> = {
  'say nothing': { first: () => '' },
  'send a head slowly': { first: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, drip: 'x' },
  'send a body slowly': {
    first: (host) =>
      `POST /v1/clusters HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 4096\r\n\r\n{"name":"`,
    drip: 'x',
  },
  'read nothing': {
    first: (host) => `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(UNREAD_ANSWERS),
    oneOf: 8,
    readsNothing: true,
  },
};

let looked: { atMs: number; ports: ReadonlySet<number> } | undefined;

/** Whether the server has the client's connection open, as of half a second ago at most. */
function isOpen(port: number, clientPort: number): boolean {
  const nowMs = performance.now();
  if (!looked || nowMs - looked.atMs > LOOK_EVERY_MS / 2) looked = { atMs: nowMs, ports: openClientPorts(port) };
  return looked.ports.has(clientPort);
}

/** One client; resolves with how many seconds it was held, or with the limit when it was not cut. */
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
    // Who reads nothing does not learn that it was cut: the system is asked.
    const look = () => void (socket?.localPort && !isOpen(port, socket.localPort) && resolve(seconds()));
    if (readsNothing) looking = setInterval(look, LOOK_EVERY_MS);
  });
  const held = await Promise.race([cut, pause(limitMs, limitMs / 1_000)]);
  for (const one of [timer, looking]) clearInterval(one);
  socket?.destroy();
  return held;
}

/** How long /health takes to answer whoever asks when `clients` connect at the same moment. */
async function rush(address: string, port: number, clients: number): Promise<number> {
  const sockets = Array.from({ length: clients }, () =>
    connect({ port, host: '127.0.0.1' }).on('error', () => undefined),
  );
  const askedMs = performance.now();
  const answer = await callOf(address, 'GET', '/health');
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
      const answer = await callOf(daemon.address, 'GET', '/health');
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
