/**
 * The sockets of the drill `network-wall`, in a separate process so that their work is attributed neither to the
 * daemons nor to the drill: the same number at each daemon, in one cluster. Members of the first daemon speak in
 * rotation. Runs the steps that the parent requests and reports the result of each.
 */
import '../ends-with-parent.js';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../bench/measure.js';
import { until } from '../drill.js';
import { WallLine } from '../wall-line.js';

const [ports = '', path, count, speakers] = process.argv.slice(2);
const SOCKETS = Number(count);
const PAYLOAD_CHARS = 200;
const DIGITS = 10;
const LIMIT_MS = 60_000;
const PAYLOAD = '"payload":"';

/** `perSecond` messages for some seconds, or all at once with so many on their way that `window` are not delivered. */
export type WallStep = { messages: number } & ({ perSecond: number } | { window: number });

/** Result of a step. */
export interface WallStepped {
  expected: number;
  delivered: number;
  /** Of the deliveries at daemons other than the speaker's; with one daemon, of all. */
  p99Ms: number;
  /** Deliveries per second from the first message to the last delivery. */
  rate: number;
  /** Messages that a receiver got before an earlier one of the same speaker. */
  disordered: number;
}

const listeners: WallLine[][] = [];
let sentMs: number[] = [];
let delays: number[] = [];
let delivered = 0;
let disordered = 0;
/** By receiver and speaker, the number of the last message. */
let last: Int32Array[] = [];

function heard(daemon: number, receiver: number, text: Buffer): void {
  const at = text.indexOf(PAYLOAD);
  if (at === -1) return;
  const from = at + PAYLOAD.length;
  const number = Number.parseInt(text.toString('latin1', from, from + DIGITS), 10);
  delivered += 1;
  if (daemon > 0 || listeners.length === 1) delays.push(performance.now() - (sentMs[number] as number));
  const seen = last[daemon * SOCKETS + receiver] as Int32Array;
  const speaker = number % Number(speakers);
  if ((seen[speaker] as number) > number) disordered += 1;
  seen[speaker] = number;
}

async function step(asked: WallStep): Promise<WallStepped> {
  sentMs = [];
  delays = [];
  delivered = 0;
  disordered = 0;
  last = Array.from({ length: listeners.length * SOCKETS }, () => new Int32Array(Number(speakers)).fill(-1));
  const others = listeners.length * SOCKETS - 1;
  const startedMs = performance.now();
  const mayBeSent = () =>
    'window' in asked
      ? Math.floor(delivered / others) + asked.window
      : Math.floor(((performance.now() - startedMs) * asked.perSecond) / 1_000) + 1;
  const endMs = startedMs + LIMIT_MS;
  while (sentMs.length < asked.messages && performance.now() < endMs) {
    const due = Math.min(asked.messages, mayBeSent());
    while (sentMs.length < due) {
      const number = sentMs.length;
      sentMs.push(performance.now());
      const payload = String(number).padStart(DIGITS, '0').padEnd(PAYLOAD_CHARS, 'x');
      listeners[0]?.[number % Number(speakers)]?.say(JSON.stringify({ payload }));
    }
    await pause(1);
  }
  const expected = asked.messages * others;
  await until(
    'every delivery',
    LIMIT_MS,
    () => delivered,
    (reached) => reached >= expected,
  ).catch(() => undefined);
  const rate = (delivered * 1_000) / (performance.now() - startedMs);
  return { expected, delivered, p99Ms: quantile(delays, 0.99), rate, disordered };
}

for (const [daemon, port] of ports.split(',').entries()) {
  const lines: WallLine[] = [];
  listeners.push(lines);
  for (let number = 0; number < SOCKETS; number += 1)
    lines.push(
      await WallLine.open(Number(port), `${path}?agent=member-${daemon}-${number}`, (text) =>
        heard(daemon, number, text),
      ),
    );
}
process.on('message', async (asked) => process.send?.(await step(asked as WallStep)));
process.send?.('ready');
