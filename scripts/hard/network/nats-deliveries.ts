/**
 * What the client of NATS does alone, beside the drill `network-wall`: as many connections as there are daemons, each
 * with as many subscriptions as a daemon has sockets, and one publisher. In a separate process, as the sockets are.
 */
import '../ends-with-parent.js';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { until } from '../drill.js';

const [url = '', connections, count] = process.argv.slice(2);
const LIMIT_MS = 60_000;
const SUBJECT = 'cluster';
const PAYLOAD = Buffer.alloc(200, 'x');

export interface NatsStep {
  messages: number;
  /** How many messages may be on their way. */
  window: number;
}

export interface NatsStepped {
  /** Deliveries per second from the first message to the last delivery. */
  rate: number;
  delivered: number;
  expected: number;
}

const servers = url.split(',').map((server) => server.replace('nats://', ''));
let delivered = 0;
for (let each = 0; each < Number(connections); each += 1) {
  const connection = await connect({ servers });
  for (let number = 0; number < Number(count); number += 1)
    connection.subscribe(SUBJECT, {
      callback: () => {
        delivered += 1;
      },
    });
  await connection.flush();
}
const publisher = await connect({ servers });

async function step({ messages, window }: NatsStep): Promise<NatsStepped> {
  delivered = 0;
  const others = Number(connections) * Number(count);
  const startedMs = performance.now();
  let sent = 0;
  while (sent < messages && performance.now() < startedMs + LIMIT_MS) {
    const due = Math.min(messages, Math.floor(delivered / others) + window);
    for (; sent < due; sent += 1) publisher.publish(SUBJECT, PAYLOAD);
    await pause(1);
  }
  const expected = messages * others;
  await until(
    'every delivery',
    LIMIT_MS,
    () => delivered,
    (reached) => reached >= expected,
  ).catch(() => undefined);
  return { rate: (delivered * 1_000) / (performance.now() - startedMs), delivered, expected };
}

process.on('message', async (asked) => process.send?.(await step(asked as NatsStep)));
process.send?.('ready');
