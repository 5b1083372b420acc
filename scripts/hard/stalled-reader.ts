/**
 * A hundred readers of 16 KB messages, and in every other run one of them stops reading. The others must get every message, in order, hardly later than
 * without it; the one that stands still must be cut within a second of more than 1 MiB waiting for it; the daemon must not grow. What waits is worked out
 * from outside: what was sent so far, less what the system says it holds of the connection, which is filled first. Linux only.
 * `npx tsx scripts/hard/stalled-reader.ts`, half a minute.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterCreated } from '../../daemon/contract/clusters.js';
import { QUEUE_MAX_BYTES } from '../../daemon/contract/wall.js';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { quantile } from '../bench/measure.js';
import { isLinux, runDrill, until } from './drill.js';
import { heldByKernel } from './kernel-queue.js';
import { WallLine } from './wall-line.js';

const OTHERS = 99;
const MESSAGES = 200;
const PER_SECOND = 50;
const PAYLOAD = 'x'.repeat(16 * 1024);
const LIMIT_MS = 60_000;
/** Who fill the system's share of the stalled connection: none of them says more than one may in a second. */
const FILLERS = 16;
const FILLER = 'x'.repeat(60_000);
const FILLS_MAX = FILLERS * 16;
/** So much must wait in the daemon before the messages begin. */
const FILLED_BYTES = 256 * 1024;
/** How far from the truth what is worked out may be: a few messages. */
const EARLY_BYTES = 128 * 1024;
const SAMPLE_MS = 10;

interface Room {
  daemon: DaemonProcess;
  port: number;
  /** What a handle is put behind to join. */
  path: string;
  publisher: WallLine;
  others: readonly WallLine[];
  fillers: readonly WallLine[];
}

async function openRoom(daemon: DaemonProcess): Promise<Room> {
  const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
  const { port, pathname, search } = new URL(ws as string);
  const path = `${pathname}${search}&agent=`;
  const join = async (name: string, count: number) => {
    const lines: WallLine[] = [];
    for (let number = 0; number < count; number += 1)
      lines.push(await WallLine.open(Number(port), `${path}${name}-${number}`));
    return lines;
  };
  const publisher = await WallLine.open(Number(port), `${path}publisher`);
  return {
    daemon,
    port: Number(port),
    path,
    publisher,
    others: await join('reader', OTHERS),
    fillers: await join('filler', FILLERS),
  };
}

/** What one run came to. */
interface Run {
  p99Ms: number;
  /** Messages that one of the others did not get, or got out of order. */
  lost: number;
  peakBytes: number;
}

interface StalledRun extends Run {
  /** From more than 1 MiB waiting until everybody is told that the reader is gone and its connection is closed. */
  cutMs: number;
  queuedAtCut: number;
}

/** All messages once, with a hundredth reader. */
class Round {
  private readonly sentMs: number[] = [];
  private readonly delays: number[] = [];
  /** Messages that each of the others has got. */
  private readonly had = Array<number>(OTHERS).fill(0);
  private lost = 0;
  private peakBytes = 0;
  private frameBytes = 0;
  private filledBytes = 0;
  private queued = 0;
  private passedMs: number | undefined;
  private offlineMs: number | undefined;
  private closedMs: number | undefined;

  constructor(
    private readonly room: Room,
    private readonly handle: string,
  ) {
    for (const [index, line] of room.others.entries()) line.onText = (text) => this.heard(index, text);
  }

  async run(): Promise<Run> {
    const hundredth = await this.join();
    return this.sampled(hundredth, () => this.publish());
  }

  async runStalled(): Promise<StalledRun> {
    const hundredth = await this.join();
    hundredth.stall();
    await this.fill(hundredth);
    const run = await this.sampled(hundredth, async () => {
      await this.publish();
      await until(
        'the stalled reader cut',
        LIMIT_MS,
        () => this.closedMs,
        (ms) => ms !== undefined,
      );
    });
    const { offlineMs = Number.NaN, closedMs = Number.NaN } = this;
    // Who is cut as soon as it passes is never seen past it.
    const passedMs = this.passedMs ?? offlineMs;
    return { ...run, cutMs: Math.max(0, offlineMs - passedMs, closedMs - passedMs), queuedAtCut: this.queued };
  }

  private join(): Promise<WallLine> {
    return WallLine.open(this.room.port, `${this.room.path}${this.handle}`);
  }

  /** Looks at the daemon's memory and the hundredth's connection while `work` goes on; in every run, since the look takes time from the readers. */
  private async sampled(hundredth: WallLine, work: () => Promise<void>): Promise<Run> {
    const sampling = setInterval(() => {
      this.peakBytes = Math.max(this.peakBytes, this.room.daemon.residentBytes());
      const { bytes, isOpen } = heldByKernel(this.room.port, hundredth.localPort);
      if (!isOpen) this.closedMs ??= performance.now();
      if (this.offlineMs === undefined) this.look(bytes);
    }, SAMPLE_MS);
    try {
      await work();
    } finally {
      clearInterval(sampling);
      hundredth.cut();
    }
    await until(
      'the hundredth gone',
      LIMIT_MS,
      () => this.offlineMs,
      (ms) => ms !== undefined,
    );
    const missing = this.had.filter((had) => had !== MESSAGES).length;
    return { p99Ms: quantile(this.delays, 0.99), lost: this.lost + missing, peakBytes: this.peakBytes };
  }

  /** Sends the stalled reader what the system takes for it, and a little more. */
  private async fill({ localPort }: WallLine): Promise<void> {
    const { port, fillers } = this.room;
    const frame = JSON.stringify({ to: this.handle, payload: FILLER });
    for (let sent = 0; sent < FILLS_MAX; sent += 1) {
      const filler = fillers[sent % FILLERS] as WallLine;
      await new Promise<void>((resolve) => {
        filler.onText = (text) => (text.includes('"ack"') ? resolve() : undefined);
        filler.say(frame);
      });
      this.filledBytes += FILLER.length;
      if (this.filledBytes - heldByKernel(port, localPort).bytes > FILLED_BYTES) return;
    }
    throw new Error(`The system takes ${this.filledBytes} bytes for one connection: the drill has no more.`);
  }

  private async publish(): Promise<void> {
    const startedMs = performance.now();
    while (this.sentMs.length < MESSAGES) {
      const due = Math.min(MESSAGES, Math.floor(((performance.now() - startedMs) * PER_SECOND) / 1_000) + 1);
      while (this.sentMs.length < due) {
        const number = String(this.sentMs.length).padStart(10, '0');
        this.sentMs.push(performance.now());
        this.room.publisher.say(JSON.stringify({ payload: `${number} ${PAYLOAD}` }));
      }
      await pause(2);
    }
    await until(
      'every message at every other reader',
      LIMIT_MS,
      () => this.delays.length,
      (count) => count >= MESSAGES * OTHERS,
    );
  }

  private heard(index: number, text: Buffer): void {
    const at = text.indexOf('"payload":"');
    if (at === -1) {
      if (text.includes('"offline"') && text.includes(`"${this.handle}"`)) this.offlineMs ??= performance.now();
      return;
    }
    const number = Number.parseInt(text.toString('latin1', at + 11, at + 21), 10);
    this.delays.push(performance.now() - (this.sentMs[number] as number));
    // With the head of its frame.
    this.frameBytes = text.length + 4;
    if (number !== this.had[index]) this.lost += 1;
    this.had[index] = number + 1;
  }

  /** Works out what waits in the daemon for the hundredth, of whom the system holds so many bytes. */
  private look(kernelBytes: number): void {
    // Whoever of the others has the most tells what the daemon has sent to all.
    this.queued = this.filledBytes + Math.max(...this.had) * this.frameBytes - kernelBytes;
    if (this.queued > QUEUE_MAX_BYTES) this.passedMs ??= performance.now();
  }
}

await runDrill('stalled-reader', async (drill) => {
  if (!isLinux(drill, 'what the system holds of a connection is read from /proc')) return;
  const daemon = await drill.project().start({});
  const room = await openRoom(daemon);
  // What is loaded and grown for the first messages counts for nothing.
  const warmUp: Run[] = [];
  for (const name of ['first', 'second']) warmUp.push(await new Round(room, name).run());
  const plain: Run[] = [];
  const stalled: StalledRun[] = [];
  for (let pair = 0; pair < drill.bound('pairs'); pair += 1) {
    plain.push(await new Round(room, `reading-${pair}`).run());
    stalled.push(await new Round(room, `stalled-${pair}`).runStalled());
  }
  for (const line of [room.publisher, ...room.others, ...room.fillers]) line.cut();

  const runs = [...plain, ...stalled];
  drill.measure({
    measure: `messages that one of ${OTHERS} others lost, of ${MESSAGES} in each of ${runs.length} runs`,
    value: runs.reduce((sum, run) => sum + run.lost, 0),
    unit: 'messages',
    exactly: 0,
  });
  const middle = (list: readonly Run[]) => {
    const values = list.map(({ p99Ms }) => p99Ms);
    return quantile(values, 0.5);
  };
  const [with_, without] = [middle(stalled), middle(plain)];
  drill.measure({
    measure: 'p99 of deliveries over that of a run without a stalled reader',
    value: with_ / without,
    unit: 'times',
    atMost: 2,
    isTime: true,
    said: `${with_.toFixed(1)} ms over ${without.toFixed(1)} ms`,
  });
  drill.measure({
    measure: 'the stalled reader is cut after 1 MiB waits for it, at the latest',
    value: Math.max(...stalled.map(({ cutMs }) => cutMs)),
    unit: 'ms',
    atMost: 1_000,
    isTime: true,
    said: `${stalled.map(({ queuedAtCut }) => Math.round(queuedAtCut / 1024)).join(', ')} KiB waited`,
  });
  const early = stalled.filter(({ queuedAtCut }) => queuedAtCut < QUEUE_MAX_BYTES - EARLY_BYTES).length;
  drill.measure({ measure: 'runs in which it was cut while much less waited', value: early, unit: 'runs', exactly: 0 });
  // Peak against peak: how much of the young generation is resident differs by more from moment to moment.
  const peak = (list: readonly Run[]) => Math.max(...list.map(({ peakBytes }) => peakBytes)) / 1e6;
  const [most, mostWithout] = [peak(stalled), peak([...warmUp, ...plain])];
  drill.measure({
    measure: 'memory of the daemon more than without a stalled reader',
    value: most - mostWithout,
    unit: 'MB',
    atMost: 20,
    said: `${most.toFixed(0)} MB, ${mostWithout.toFixed(0)} without`,
  });
});
