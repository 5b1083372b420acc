/**
 * Three stores follow one network of three servers, and all send changes. Again and again something is cut off in the
 * middle and comes back, in turn: the server that leads the stream, two of the three servers, one store with its
 * connection. No acknowledged change is lost, each id has exactly one winner, and the three stores are equal. Where
 * nats-server is not installed, the drill is reported as not run.
 *
 * `npx tsx scripts/hard/network/network-log.ts [--commands 300] [--kills 3]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import '../../sql-as-text.js';
import { retryUntilLeader } from '../../../daemon/features/network/command-stream.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { hasNatsServer, NatsServers } from '../../../daemon/testing/processes/nats-server.js';
import { type Drill, runDrill } from '../drill.js';

/** How many of the changes are sent at once. */
const AT_ONCE = 12;
/** Every id is sent by this many racers. */
const RACERS = 3;
const SETTLE_MS = 30_000;
/** A change that is refused because no server answers is sent again after this time, until one does. */
const AGAIN_MS = 50;
const UNAVAILABLE = 'network_unavailable';
/** Lost races, and changes sent while the servers choose a leader. */
const EXPECTED = new Set(['agent_id_claimed', UNAVAILABLE]);

// Imported once `.sql` files can be.
const { NetworkReplica } = await import('../../../daemon/testing/apps/network-replica.js');

type Network = Awaited<ReturnType<typeof startNetwork>>;

/** Kills the server that leads the stream, or it and another one, for a second. */
async function killServers({ servers, followed }: Network, isMajority: boolean): Promise<void> {
  const manager = followed[0]?.manager;
  // The servers may still be choosing a leader after the last cut.
  const stream = manager && (await retryUntilLeader(systemClock, () => manager.streams.info('MESHD_harbour')));
  const cluster = stream?.cluster;
  const leader = cluster?.leader ?? 'n1';
  const killed = [leader, ...(isMajority ? [leader === 'n1' ? 'n2' : 'n1'] : [])];
  for (const name of killed) await servers.kill(name);
  await pause(1_000);
  for (const name of killed) await servers.startOne(name);
}

/** Ends the connections of one store without a word, and opens them anew. */
async function cutStore({ servers, replicas, followed }: Network, index: number): Promise<void> {
  await followed[index]?.stop();
  const again = await replicas[index]?.follow(servers.url);
  if (again) followed[index] = again;
}

/** Returns the code with which `send` is refused; undefined when it is not. */
async function refusalOf(send: () => Promise<unknown> | undefined): Promise<string | undefined> {
  try {
    await send();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Starts the servers and three stores that follow the network; all of it is removed at the end of the drill. */
async function startNetwork(drill: Drill) {
  const servers = await NatsServers.start(3);
  const folder = mkdtempSync(join(tmpdir(), 'meshd-network-'));
  const replicas = [1, 2, 3].map((number) => NetworkReplica.create(join(folder, String(number))));
  const followed: Awaited<ReturnType<(typeof replicas)[number]['follow']>>[] = [];
  for (const replica of replicas) followed.push(await replica.follow(servers.url));
  drill.atEnd(async () => {
    for (const each of followed) await each.stop();
    for (const replica of replicas) replica.database.close();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { servers, replicas, followed };
}

await runDrill('network-log', async (drill) => {
  if (!hasNatsServer) {
    drill.notRun('a network of three servers', 'nats-server is not installed: apt-get install nats-server');
    return;
  }
  const network = await startNetwork(drill);
  const { replicas, followed } = network;
  const commands = drill.bound('commands');
  const kills = drill.bound('kills');
  const won = new Map<string, string[]>();
  const refused = new Map<string, number>();
  let sent = 0;
  const sendAll = async () => {
    while (sent < commands) {
      const index = sent++;
      const berth = `b${Math.floor(index / RACERS)}`;
      const holder = `ship-${index}`;
      const claim = () => followed[index % 3]?.log.submit('berth.claim', berth, { holder });
      for (let code: string | undefined = UNAVAILABLE; code === UNAVAILABLE; ) {
        code = await refusalOf(claim);
        if (code === undefined) won.set(berth, [...(won.get(berth) ?? []), holder]);
        else refused.set(code, (refused.get(code) ?? 0) + 1);
        if (code === UNAVAILABLE) await pause(AGAIN_MS);
      }
    }
  };
  const senders = Array.from({ length: AT_ONCE }, sendAll);
  for (let kill = 1; kill <= kills; kill += 1) {
    while (sent < (commands * kill) / (kills + 1)) await pause(5);
    if (kill % 3 === 0) await cutStore(network, 1 + (Math.floor(kill / 3) % 2));
    else await killServers(network, kill % 3 === 2);
  }
  await Promise.all(senders);

  const endMs = performance.now() + SETTLE_MS;
  const digests = () => new Set(replicas.map((replica) => replica.digest()));
  while (digests().size > 1 && performance.now() < endMs) await pause(50);
  const berths = replicas[0]?.berths() ?? {};
  const refusals = JSON.stringify(Object.fromEntries(refused));
  const said = `${commands} changes, ${kills} times something was cut off, refused: ${refusals}`;
  drill.none(
    'acknowledged changes that are lost',
    'changes',
    [...won].filter(([berth, [holder]]) => berths[berth] !== holder).map(([berth]) => berth),
    said,
  );
  drill.none(
    'ids with two winners',
    'ids',
    [...won].filter(([, holders]) => holders.length > 1).map(([berth]) => berth),
    `${won.size} ids won`,
  );
  drill.measure({ measure: 'different stores', value: digests().size, unit: '', exactly: 1 });
  drill.none(
    'refusals of another kind',
    'codes',
    [...refused.keys()].filter((code) => !EXPECTED.has(code)),
  );
});
