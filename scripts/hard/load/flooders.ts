/**
 * Four sockets at a time flood the Wall with one-byte frames at full speed. Each is replaced by the next once it is
 * closed. Each must be closed with 1008 within two seconds. Meanwhile messages between members, in the flooded cluster
 * and in another, must arrive complete and in time, and `/health` must respond. Takes half a minute.
 *
 * `npx tsx scripts/hard/load/flooders.ts`
 */
import { fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { quantile } from '../../bench/measure.js';
import { runDrill, until } from '../drill.js';
import { Gauge } from '../gauge.js';
import { callHttp } from '../http-call.js';
import { WallLine } from '../wall-line.js';
import type { Flood } from './flooder.js';

const AT_ONCE = 4;
const MEMBERS = 10;
const SAY_EVERY_MS = 10;
const ASK_EVERY_MS = 10;
const LIMIT_MS = 30_000;
/** Offset of the sender's name in a message, and the first letter of a member's. */
const SENDER_AT = '{"kind":"message","from":"'.length;
const MEMBER_INITIAL = 'm'.charCodeAt(0);

/** Members of one cluster that send messages in rotation. Records the delay of each delivery. */
class Talk {
  readonly delays: number[] = [];
  private readonly sentMs: number[] = [];
  private readonly lines: WallLine[] = [];

  private constructor(
    readonly port: number,
    readonly path: string,
  ) {}

  static async open(daemon: DaemonProcess): Promise<Talk> {
    const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
    const { port, pathname, search } = new URL(ws as string);
    const talk = new Talk(Number(port), `${pathname}${search}&agent=`);
    for (let number = 0; number < MEMBERS; number += 1) {
      talk.lines.push(await WallLine.open(talk.port, `${talk.path}member-${number}`, (text) => talk.hear(text)));
    }
    return talk;
  }

  say(): void {
    const number = this.sentMs.length;
    this.sentMs.push(performance.now());
    this.lines[number % MEMBERS]?.say(JSON.stringify({ payload: `said ${number}.` }));
  }

  /** Number of deliveries that are still missing. */
  get missing(): number {
    return this.sentMs.length * (MEMBERS - 1) - this.delays.length;
  }

  close(): void {
    for (const line of this.lines) line.cut();
  }

  private hear(text: Buffer): void {
    // Frames of flooders outnumber the others a hundred to one, and must not delay what is measured here.
    if (text[SENDER_AT] !== MEMBER_INITIAL) return;
    const at = text.indexOf('"payload":"said ');
    if (at === -1) return;
    this.delays.push(
      performance.now() - (this.sentMs[Number.parseInt(text.toString('latin1', at + 16), 10)] as number),
    );
  }
}

/** Result of the floods. Times cover the period from the end of the first flood to that of the last. */
interface Flooding {
  floods: Flood[];
  /** Milliseconds of each delivery in the flooded cluster. `asideMs` is for the other one, `healthMs` for `/health`. */
  floodedMs: number[];
  asideMs: number[];
  healthMs: number[];
  /** p99 of the daemon's event loop delay. */
  loopMs: number;
}

/**
 * Floods the cluster `count` times from a child process, four floods at a time, while members exchange messages and
 * `/health` is requested.
 */
async function flood(
  daemon: DaemonProcess,
  gauge: Gauge,
  flooded: Talk,
  aside: Talk,
  count: number,
): Promise<Flooding> {
  const floods: Flood[] = [];
  const program = fileURLToPath(new URL('./flooder.ts', import.meta.url));
  const child = fork(program, [String(flooded.port), flooded.path, String(AT_ONCE), String(count)], {
    execArgv: ['--import', 'tsx'],
  });
  let isOver = false;
  child.on('message', (one) => floods.push(one as Flood));
  child.once('exit', () => {
    isOver = true;
  });
  await until(
    'the first flood',
    LIMIT_MS,
    () => floods.length,
    (count) => count > 0 || isOver,
  );
  await gauge.read();
  const before = [flooded.delays.length, aside.delays.length] as const;
  const answersMs: number[] = [];
  const asking = (async () => {
    while (!isOver) {
      const askedMs = performance.now();
      // A lean client: the time that fetch itself takes would be counted as the daemon's.
      const answer = await callHttp(daemon.address, 'GET', '/health');
      if (answer?.status !== 200) throw new Error(`/health was answered ${answer?.status ?? 'not at all'}.`);
      answersMs.push(performance.now() - askedMs);
      await pause(ASK_EVERY_MS);
    }
  })();
  while (!isOver) {
    flooded.say();
    aside.say();
    await pause(SAY_EVERY_MS);
  }
  await asking;
  const { p99Ms: loopMs } = await gauge.read();
  await until(
    'every message at every member',
    LIMIT_MS,
    () => flooded.missing + aside.missing,
    (missing) => missing <= 0,
  );
  return {
    floods,
    floodedMs: flooded.delays.slice(before[0]),
    asideMs: aside.delays.slice(before[1]),
    healthMs: answersMs,
    loopMs,
  };
}

await runDrill('flooders', async (drill) => {
  const count = drill.bound('floods');
  const project = drill.project();
  const gauge = new Gauge(project);
  const daemon = await project.start(gauge.environment);
  const flooded = await Talk.open(daemon);
  const aside = await Talk.open(daemon);
  const { floods, loopMs, ...times } = await flood(daemon, gauge, flooded, aside, count);
  const others = count - floods.filter(({ code }) => code === 1008).length;
  drill.measure({ measure: `floods not closed with 1008, of ${count}`, value: others, unit: 'floods', exactly: 0 });
  const longest = Math.max(...floods.map(({ ms }) => ms)) / 1_000;
  drill.measure({ measure: 'a flood lasts, at the longest', value: longest, unit: 's', atMost: 2, isTime: true });
  const missing = flooded.missing + aside.missing;
  drill.measure({
    measure: 'messages of members that did not arrive once',
    value: missing,
    unit: 'deliveries',
    exactly: 0,
  });
  const p99s = {
    'messages in the flooded cluster': times.floodedMs,
    'messages in another cluster': times.asideMs,
    'answers of /health': times.healthMs,
  };
  const limit = { unit: 'ms', atMost: 25, isTime: true } as const;
  for (const [what, ms] of Object.entries(p99s))
    drill.measure({ measure: `p99 of ${what}`, value: quantile(ms, 0.99), ...limit, said: `${ms.length} of them` });
  drill.measure({ measure: 'p99 of how late the event loop is', value: loopMs, ...limit });
  flooded.close();
  aside.close();
});
