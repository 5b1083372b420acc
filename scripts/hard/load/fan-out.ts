/**
 * A hundred sockets in one cluster, some of which send messages of 200 bytes in rotation. The rate rises to the given
 * number of deliveries per second and is held there. Every message must reach every other member, and in time. The
 * sockets are in a separate process. Takes half a minute.
 *
 * `npx tsx scripts/hard/load/fan-out.ts [--deliveries 50000] [--seconds 10]`
 */
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import { FRAMES_PER_SECOND } from '../../../daemon/contract/wall.js';
import { receive, runDrill } from '../drill.js';
import type { Step, Stepped } from './fan-out-room.js';

const SOCKETS = 100;
const RAMP = [0.1, 0.25, 0.5, 0.75];
const RAMP_SECONDS = 2;
/** Share of the rate limit of one socket that each sender uses. */
const SHARE_OF_LIMIT = 0.6;
/** Tolerated share of the requested rate, since messages are sent in discrete steps. */
const HELD = 0.99;

await runDrill('fan-out', async (drill) => {
  const [deliveries, seconds] = [drill.bound('deliveries'), drill.bound('seconds')];
  const daemon = await drill.project().start();
  const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
  const { port, pathname, search } = new URL(ws as string);
  const speakers = Math.ceil(deliveries / (SOCKETS - 1) / (FRAMES_PER_SECOND * SHARE_OF_LIMIT));
  const cluster = await drill.helper('load/fan-out-room.ts', [
    port,
    `${pathname}${search}&agent=`,
    String(SOCKETS),
    String(speakers),
  ]);
  const step = async (asked: Step): Promise<Stepped> => {
    cluster.send(asked);
    return receive<Stepped>(cluster);
  };
  const ramp: string[] = [];
  let missing = 0;
  for (const share of RAMP) {
    const one = await step({ deliveries: deliveries * share, seconds: RAMP_SECONDS });
    missing += one.expected - one.delivered;
    ramp.push(`${Math.round(one.rate).toLocaleString('en')}/s at ${one.p99Ms.toFixed(1)} ms`);
  }
  const held = await step({ deliveries, seconds });
  missing += held.expected - held.delivered;
  drill.measure({
    measure:
      `messages of 200 bytes that did not arrive once, of ${held.expected.toLocaleString('en')} and those of ` +
      'the ramp',
    value: missing,
    unit: 'deliveries',
    exactly: 0,
    said: `${SOCKETS} sockets in one room, ${speakers} speak`,
  });
  drill.measure({
    measure: `deliveries, over ${seconds} s`,
    value: held.rate,
    unit: '/s',
    atLeast: deliveries * HELD,
    isTime: true,
    said: `${deliveries.toLocaleString('en')}/s asked for`,
  });
  drill.measure({
    measure: 'p99 of the deliveries',
    value: held.p99Ms,
    unit: 'ms',
    atMost: 50,
    isTime: true,
    said: `on the way there ${ramp.join(', ')}`,
  });
});
