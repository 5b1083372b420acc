/**
 * Measures the memory of an idle connection: five thousand members of fifty clusters in the whole built daemon,
 * compared to as many connections to a bare `ws` and to Socket.IO, in alternating rounds, each with a fresh process.
 * The figures are those of the system, without forced garbage collection. A thousand connections are opened before, so
 * that what is loaded and allocated for the first ones does not count. Usage:
 * `npx tsx scripts/bench/sockets.ts [--rounds 3]`, two minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';
import { openCrowd } from '../hard/load/crowd.js';
import { spentBy } from './fanout/fanout-brokers.js';
import { Lines } from './fanout/fanout-load.js';
import { webSocketGreeting } from './fanout/fanout-websocket.js';
import { median, report, rounded } from './measure.js';
import { installPeers, startNode, stopServer } from './pinned.js';

const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 3 : Number(process.argv[at + 1]);
const SOCKETS = ROUNDS > 1 ? 5_000 : 1_000;
const FIRST = SOCKETS / 5;
const PER_CLUSTER = 100;
const SETTLING_MS = 3_000;
const GOAL_KB = 12;

const PEERS = ['ws', 'socket.io'] as const;
type Peer = (typeof PEERS)[number];

interface Weighed {
  kb: number;
  perSecond: number;
}

/**
 * Returns the memory that each connection adds and the connections opened a second. `open` opens `count` connections
 * and returns a function that closes them.
 */
async function weigh(pid: number, open: (count: number) => Promise<() => void>): Promise<Weighed> {
  const closeFirst = await open(FIRST);
  await pause(SETTLING_MS);
  const beforeKb = spentBy(pid).rssKb;
  const startedMs = performance.now();
  const close = await open(SOCKETS);
  const perSecond = (SOCKETS * 1_000) / (performance.now() - startedMs);
  await pause(SETTLING_MS);
  const kb = (spentBy(pid).rssKb - beforeKb) / SOCKETS;
  closeFirst();
  close();
  return { kb, perSecond };
}

async function measureDaemon(): Promise<Weighed> {
  const root = mkdtempSync(join(tmpdir(), 'meshd-bench-sockets-'));
  execFileSync('git', ['init', '-q'], { cwd: root });
  const daemon = await DaemonProcess.start(root, { PATH: process.env['PATH'], HOME: root });
  try {
    return await weigh(daemon.pid, async (count) => {
      const crowd = await openCrowd(daemon, count, PER_CLUSTER);
      return () => {
        for (const line of crowd) line.cut();
      };
    });
  } finally {
    await daemon.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

async function measurePeer(kind: Peer): Promise<Weighed> {
  const program = fileURLToPath(new URL('./fanout/fanout-server.ts', import.meta.url));
  const { child, word } = await startNode<{ port: number; path: string }>(['--import', 'tsx', program, kind]);
  try {
    return await weigh(child.pid as number, async (count) => {
      const lines = await Lines.open(
        word.port,
        word.path,
        count,
        webSocketGreeting(kind === 'socket.io' ? '40' : undefined),
      );
      return () => lines.close();
    });
  } finally {
    await stopServer(child);
  }
}

installPeers('socket.io/wrapper.mjs');
const ours: Weighed[] = [];
const peers: Record<Peer, Weighed[]> = { ws: [], 'socket.io': [] };
for (let round = 0; round < ROUNDS; round += 1) {
  ours.push(await measureDaemon());
  for (const kind of PEERS) peers[kind].push(await measurePeer(kind));
}
const getKb = (list: readonly Weighed[]) => list.map(({ kb }) => kb);
const kb = median(getKb(ours));
for (const name of PEERS) {
  const theirs = median(getKb(peers[name]));
  report({
    bench: 'sockets',
    measure: `memory of an idle connection, ${SOCKETS} of them`,
    unit: 'KB',
    ours: rounded(kb),
    min: rounded(Math.min(...getKb(ours))),
    max: rounded(Math.max(...getKb(ours))),
    peer: { name, value: rounded(theirs) },
    ratio: rounded(kb / theirs, 2),
    rounds: ROUNDS,
    ...(name === 'ws' && { goal: `<= ${GOAL_KB} KB`, pass: kb <= GOAL_KB }),
  });
}
report({
  bench: 'sockets',
  measure: 'members that join, each told to a hundred others',
  unit: '/s',
  ours: rounded(median(ours.map(({ perSecond }) => perSecond)), 0),
  rounds: ROUNDS,
});
