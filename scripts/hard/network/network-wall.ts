/**
 * Three daemons in a network of three servers, with the same number of sockets at each, all in one cluster. What is
 * said at one daemon reaches every socket at all of them once and in order, soon after it does on one daemon alone, and
 * with a good part of the throughput that the client of NATS has by itself in the same run.
 *
 * `npx tsx scripts/hard/network/network-wall.ts [--sockets 100] [--messages 1000] [--perSecond 20]`
 */
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import { hasNatsServer, NatsServers } from '../../../daemon/testing/processes/nats-server.js';
import { type Drill, mayHold, receive, runDrill, until } from '../drill.js';
import type { NatsStep, NatsStepped } from './nats-deliveries.js';
import type { WallStep, WallStepped } from './wall-listeners.js';

const DAEMONS = 3;
const SPEAKERS = 20;
/** Messages with which the delay is measured. */
const CALM = 200;
/**
 * Messages on their way while the throughput is measured: at most so many, and so few that what waits at a NATS server
 * for one connection with all its subscriptions stays far below 64 MB, at which it closes the connection as too slow.
 */
const WINDOW = 200;
const WAITING_BYTES_MAX = 16_000_000;
const DELIVERY_BYTES = 256;
const SETTLE_MS = 60_000;
/** Bounds of the delay over that of one daemon, and of the throughput as a share of that of NATS. */
const OVER_MS = 10;
const SHARE = 0.7;

type Daemon = Awaited<ReturnType<ReturnType<Drill['project']>['start']>>;
type Helper = Awaited<ReturnType<Drill['helper']>>;

const portOf = ({ address }: Daemon) => new URL(address).port;

/** Starts daemons in one network, or one in none. */
async function startDaemons(drill: Drill, url: string | undefined): Promise<Daemon[]> {
  const daemons: Daemon[] = [];
  for (let number = 0; number < (url === undefined ? 1 : DAEMONS); number += 1) {
    const daemon = await drill.project().start();
    daemons.push(daemon);
    if (url !== undefined) await daemon.call(number === 0 ? 'POST' : 'PUT', '/network', { url, network: 'drill' });
  }
  return daemons;
}

/** Opens the sockets of one cluster at each of the daemons. Resolves once each daemon lists all members. */
async function openCluster(drill: Drill, daemons: readonly Daemon[], sockets: number): Promise<Helper> {
  const [first] = daemons as [Daemon];
  const body = { name: 'Drill', visibility: 'public' };
  const { cluster_id: id } = await first.call<ClusterCreated>('POST', '/v1/clusters', body);
  const path = `/v1/clusters/${id}`;
  const isKnown = (daemon: Daemon) => daemon.call<{ cluster: { online: number } }>('GET', path).catch(() => undefined);
  for (const daemon of daemons) await until('the cluster', SETTLE_MS, () => isKnown(daemon), Boolean);
  const ports = daemons.map(portOf).join(',');
  const listeners = await drill.helper('network/wall-listeners.ts', [
    ports,
    `${path}/ws`,
    String(sockets),
    String(SPEAKERS),
  ]);
  for (const daemon of daemons)
    await until(
      'all members',
      SETTLE_MS,
      async () => (await isKnown(daemon))?.cluster.online,
      (online) => online === sockets * daemons.length,
    );
  return listeners;
}

async function run<Result>(helper: Helper, asked: WallStep | NatsStep): Promise<Result> {
  helper.send(asked);
  return receive<Result>(helper);
}

/** Says the same on one daemon, across three, and with the client of NATS alone. */
async function sayEverywhere(drill: Drill, url: string) {
  const [sockets, messages] = [drill.bound('sockets'), drill.bound('messages')];
  const alone = await openCluster(drill, await startDaemons(drill, undefined), sockets);
  const calm = { messages: Math.min(messages, CALM), perSecond: drill.bound('perSecond') };
  const base = await run<WallStepped>(alone, calm);
  alone.kill();
  const daemons = await startDaemons(drill, url);
  const listeners = await openCluster(drill, daemons, sockets);
  const across = await run<WallStepped>(listeners, calm);
  const window = Math.min(WINDOW, Math.floor(WAITING_BYTES_MAX / (sockets * DELIVERY_BYTES)));
  const loaded = await run<WallStepped>(listeners, { messages, window });
  const nats = await drill.helper('network/nats-deliveries.ts', [url, String(DAEMONS), String(sockets)]);
  const peer = await run<NatsStepped>(nats, { messages, window });
  return { daemons, base, calm, across, loaded, peer };
}

await runDrill('network-wall', async (drill) => {
  if (!hasNatsServer) {
    drill.notRun('three daemons of a network', 'nats-server is not installed: apt-get install nats-server');
    return;
  }
  const sockets = drill.bound('sockets');
  if (!mayHold(drill, DAEMONS * sockets)) return;
  const servers = await NatsServers.start(3);
  drill.atEnd(() => servers.stop());

  const { daemons, base, calm, across, loaded, peer } = await sayEverywhere(drill, servers.url);
  const said = `${sockets} sockets at each of ${DAEMONS} daemons`;
  const missing = across.expected - across.delivered + loaded.expected - loaded.delivered;
  drill.measure({ measure: 'messages that did not arrive once', value: missing, unit: 'deliveries', exactly: 0, said });
  const disordered = across.disordered + loaded.disordered;
  drill.measure({
    measure: 'messages before an earlier one of their speaker',
    value: disordered,
    unit: '',
    exactly: 0,
  });
  drill.measure({
    measure: 'p99 of deliveries at the other daemons over that of one daemon alone',
    value: across.p99Ms - base.p99Ms,
    unit: 'ms',
    atMost: OVER_MS,
    isTime: true,
    said: `${across.p99Ms.toFixed(1)} ms, one daemon ${base.p99Ms.toFixed(1)} ms; ${calm.perSecond} messages a second`,
  });
  const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`;
  drill.measure({
    measure: 'deliveries of the client of NATS that did not arrive',
    value: peer.expected - peer.delivered,
    unit: 'deliveries',
    exactly: 0,
  });
  drill.measure({
    measure: 'throughput as a share of the client of NATS alone',
    value: loaded.rate / peer.rate,
    unit: '',
    atLeast: SHARE,
    isTime: true,
    said: `${perSecond(loaded.rate)} deliveries, NATS ${perSecond(peer.rate)}, with as many receivers`,
  });
  const drops = await Promise.all(
    daemons.map(async (daemon) => (await daemon.call<{ frames: { dropped: object[] } }>('GET', '/network')).frames),
  );
  drill.none(
    'messages between the daemons that were dropped',
    'kinds',
    drops.flatMap(({ dropped }) => dropped.map((drop) => JSON.stringify(drop))),
  );
});
