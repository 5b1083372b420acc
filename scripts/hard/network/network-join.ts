/**
 * A store with many agents and posts becomes a network of three servers: its first snapshot. A daemon with agents of
 * its own joins it, while reading goes on, leaves, and takes back what it had. No row is lost or changed on either way.
 * Where nats-server is not installed, the drill is reported as not run.
 *
 * `npx tsx scripts/hard/network/network-join.ts [--agents 1000] [--posts 1000]`
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../sql-as-text.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { Dice } from '../../../daemon/testing/dice.js';
import { hasNatsServer, NatsServers } from '../../../daemon/testing/processes/nats-server.js';
import { quantile } from '../../bench/measure.js';
import { type Drill, runDrill } from '../drill.js';

const JOIN_MS = 60_000;
const READ_EVERY_MS = 5;
/** Of a read, from the moment when it was due. */
const READ_MS = 50;
const OWN_AGENTS = 20;
const POSTS_A_BOARD = 750;

// Imported once `.sql` files can be.
const { WeekDaemon } = await import('./week/week-daemon.js');
const { WeekLoad } = await import('./week/week-load.js');
type Daemon = InstanceType<typeof WeekDaemon>;

/** Reads an agent again and again, until it is stopped. Returns how long each read took from when it was due. */
function readOn({ database }: Daemon): () => number[] {
  const delays: number[] = [];
  let dueMs = performance.now() + READ_EVERY_MS;
  const timer = setInterval(() => {
    database.sql('SELECT * FROM registry_agents ORDER BY key LIMIT 1').get();
    delays.push(Math.max(0, performance.now() - dueMs));
    dueMs = performance.now() + READ_EVERY_MS;
  }, READ_EVERY_MS);
  return () => {
    clearInterval(timer);
    return delays;
  };
}

async function fill(drill: Drill, daemon: Daemon, index: number, agents: number, posts: number): Promise<void> {
  // Of the clusters, the first daemon has all. A board holds at most 1,000 live posts, and posts are spread by chance.
  const share = { index, daemons: 1, agents: agents + index, clusters: Math.max(4, Math.ceil(posts / POSTS_A_BOARD)) };
  const load = new WeekLoad(daemon, share, new Dice(drill.seed + index), () => Date.now());
  await load.populate();
  await load.pinAll(posts);
  drill.none(`changes of daemon ${index} that failed`, 'changes', load.failures);
}

function startDaemon(drill: Drill, folder: string, name: string): Daemon {
  mkdirSync(join(folder, name));
  const daemon = new WeekDaemon(join(folder, name), name, systemClock);
  drill.atEnd(() => daemon.stop());
  return daemon;
}

await runDrill('network-join', async (drill) => {
  if (!hasNatsServer) {
    drill.notRun('a network of three servers', 'nats-server is not installed: apt-get install nats-server');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'meshd-join-'));
  const servers = await NatsServers.start(3);
  const [first, late] = [startDaemon(drill, folder, 'first'), startDaemon(drill, folder, 'late')];
  drill.atEnd(async () => {
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await fill(drill, first, 0, drill.bound('agents'), drill.bound('posts'));
  await fill(drill, late, 1, OWN_AGENTS, 0);
  const [shared, own] = [first.digest(), late.digest()];

  await first.enter(servers.url, true);
  drill.holds('creating the network', 'changes no shared row', first.digest() === shared);
  const stopReading = readOn(first);
  const startedMs = performance.now();
  await late.enter(servers.url, false);
  await late.reach(first.sequence);
  const joinedMs = performance.now() - startedMs;
  const reads = stopReading();
  const rows = `${drill.bound('agents')} agents on both surfaces, ${drill.bound('posts')} posts`;
  drill.measure({ measure: 'joining', value: joinedMs, unit: 'ms', atMost: JOIN_MS, isTime: true, said: rows });
  drill.holds('the daemon that joined', 'has every row', late.digest() === shared);
  const p99Ms = quantile(reads, 0.99);
  const said = `${reads.length} reads, meanwhile, in the process of both daemons`;
  drill.measure({ measure: 'p99 of a read', value: p99Ms, unit: 'ms', atMost: READ_MS, isTime: true, said });

  await late.leave();
  drill.holds('the daemon that left', 'keeps every row', late.digest() === shared);
  await late.restore();
  drill.holds('the data from before', 'are back to the last row', late.digest() === own);
});
