/**
 * The sockets of the drill `fan-out`, in a separate process so that their work is attributed neither to the daemon nor
 * to the drill. Some of them send messages in rotation; each message must reach all the others. Runs the steps that the
 * parent requests and reports the result of each.
 */
import '../ends-with-parent.js';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../bench/measure.js';
import { until } from '../drill.js';
import { WallLine } from '../wall-line.js';

const [port, path, sockets, speakers] = process.argv.slice(2);
const SPEAKERS = Number(speakers);
const PAYLOAD_CHARS = 200;
const DIGITS = 10;
const LIMIT_MS = 30_000;
const PAYLOAD = '"payload":"';

/** A number of deliveries per second, for a number of seconds. */
export interface Step {
  deliveries: number;
  seconds: number;
}

/** Result of a step. */
export interface Stepped {
  expected: number;
  delivered: number;
  p99Ms: number;
  /** Deliveries per second from the first message to the last delivery. */
  rate: number;
}

const lines: WallLine[] = [];
/** Times at which the messages of the step were sent. `delays` holds the delay of each delivery. */
let sentMs: number[] = [];
let delays: number[] = [];

function heard(text: Buffer): void {
  const at = text.indexOf(PAYLOAD);
  if (at === -1) return;
  const from = at + PAYLOAD.length;
  const number = Number.parseInt(text.toString('latin1', from, from + DIGITS), 10);
  delays.push(performance.now() - (sentMs[number] as number));
}

async function step({ deliveries, seconds }: Step): Promise<Stepped> {
  sentMs = [];
  delays = [];
  const others = lines.length - 1;
  const messages = Math.round((deliveries * seconds) / others);
  const perSecond = deliveries / others;
  const startedMs = performance.now();
  while (sentMs.length < messages) {
    const due = Math.min(messages, Math.floor(((performance.now() - startedMs) * perSecond) / 1_000) + 1);
    while (sentMs.length < due) {
      const number = sentMs.length;
      sentMs.push(performance.now());
      lines[number % SPEAKERS]?.say(
        JSON.stringify({ payload: String(number).padStart(DIGITS, '0').padEnd(PAYLOAD_CHARS, 'x') }),
      );
    }
    await pause(1);
  }
  const expected = messages * others;
  await until(
    'every delivery',
    LIMIT_MS,
    () => delays.length,
    (count) => count >= expected,
  ).catch(() => undefined);
  const rate = (delays.length * 1_000) / (performance.now() - startedMs);
  return { expected, delivered: delays.length, p99Ms: quantile(delays, 0.99), rate };
}

for (let number = 0; number < Number(sockets); number += 1)
  lines.push(await WallLine.open(Number(port), `${path}member-${number}`, heard));
process.on('message', async (asked) => process.send?.(await step(asked as Step)));
process.send?.('ready');
