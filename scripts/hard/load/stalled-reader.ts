/**
 * Sends 16 KB messages to a hundred readers. In every other run one of them stops reading. The other readers must
 * receive every message in order, with hardly more delay than without it. The stalled reader must be out of the cluster
 * within one second of having more than 1 MiB queued, and read close code 4408 once it reads again. The memory of the
 * daemon must not grow. The queue is computed from outside: the bytes sent so far less the bytes that the kernel
 * buffers for the connection. The kernel buffers are filled first. Takes half a minute. Linux only.
 *
 * `npx tsx scripts/hard/load/stalled-reader.ts`
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import { CLOSE } from '../../../daemon/contract/events.js';
import { QUEUE_MAX_BYTES } from '../../../daemon/contract/wall.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { quantile } from '../../bench/measure.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import { WallLine } from '../wall-line.js';
import { heldByKernel } from './kernel-queue.js';

const OTHERS = 99;
const MESSAGES = 200;
const PER_SECOND = 50;
const PAYLOAD = 'x'.repeat(16 * 1024);
const LIMIT_MS = 60_000;
/**
 * Number of senders that fill the kernel buffers of the stalled connection. With this many, none exceeds the rate limit
 * of a member.
 */
const FILLERS = 16;
const FILLER = 'x'.repeat(60_000);
const FILLS_MAX = FILLERS * 16;
/** Bytes that must be queued in the daemon before the messages begin. */
const FILLED_BYTES = 256 * 1024;
/** Tolerance of the computed queue length in bytes: a few messages. */
const EARLY_BYTES = 128 * 1024;
const SAMPLE_MS = 10;

interface TestCluster {
  daemon: DaemonProcess;
  port: number;
  /** Path to join the cluster. The handle is appended to it. */
  path: string;
  publisher: WallLine;
  others: readonly WallLine[];
  fillers: readonly WallLine[];
}

async function openCluster(daemon: DaemonProcess): Promise<TestCluster> {
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

/** Result of one run. */
interface Run {
  p99Ms: number;
  /** Messages that one of the other readers did not receive, or received out of order. */
  lost: number;
  peakBytes: number;
}

interface StalledRun extends Run {
  /**
   * Time from more than 1 MiB queued until the other members are notified that the reader is offline and its connection
   * is closed.
   */
  cutMs: number;
  queuedAtCut: number;
  /** The close code that it read. */
  code: number | undefined;
}

/** Sends all messages once, with a hundredth reader. */
class Round {
  private readonly sentMs: number[] = [];
  private readonly delays: number[] = [];
  /** Number of messages that each of the other readers has received. */
  private readonly had = Array<number>(OTHERS).fill(0);
  private lost = 0;
  private peakBytes = 0;
  private frameBytes = 0;
  private filledBytes = 0;
  private queued = 0;
  private passedMs: number | undefined;
  private offlineMs: number | undefined;

  constructor(
    private readonly cluster: TestCluster,
    private readonly handle: string,
  ) {
    for (const [index, line] of cluster.others.entries()) line.onText = (text) => this.noteReceived(index, text);
  }

  async run(): Promise<Run> {
    const hundredth = await this.join();
    return this.sampled(hundredth, () => this.publish());
  }

  async runStalled(): Promise<StalledRun> {
    const hundredth = await this.join();
    hundredth.stall();
    await this.fill(hundredth);
    let code: number | undefined;
    const run = await this.sampled(hundredth, async () => {
      await this.publish();
      await until(
        'the stalled reader cut off',
        LIMIT_MS,
        () => this.offlineMs,
        (ms) => ms !== undefined,
      );
      hundredth.resume();
      code = (await hundredth.ended).code;
    });
    const { offlineMs = Number.NaN } = this;
    // A reader that is disconnected as soon as it exceeds the limit is never sampled above it.
    const passedMs = this.passedMs ?? offlineMs;
    return { ...run, cutMs: Math.max(0, offlineMs - passedMs), queuedAtCut: this.queued, code };
  }

  private join(): Promise<WallLine> {
    return WallLine.open(this.cluster.port, `${this.cluster.path}${this.handle}`);
  }

  /**
   * Samples the daemon's memory and the hundredth connection while `work` runs. Runs without a stalled reader sample
   * too, because sampling takes time from the readers.
   */
  private async sampled(hundredth: WallLine, work: () => Promise<void>): Promise<Run> {
    const sampling = setInterval(() => {
      this.peakBytes = Math.max(this.peakBytes, this.cluster.daemon.residentBytes());
      const { bytes } = heldByKernel(this.cluster.port, hundredth.localPort);
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

  /** Sends the stalled reader as much as the kernel buffers, and a little more. */
  private async fill({ localPort }: WallLine): Promise<void> {
    const { port, fillers } = this.cluster;
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
        this.cluster.publisher.say(JSON.stringify({ payload: `${number} ${PAYLOAD}` }));
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

  private noteReceived(index: number, text: Buffer): void {
    const at = text.indexOf('"payload":"');
    if (at === -1) {
      if (text.includes('"offline"') && text.includes(`"${this.handle}"`)) this.offlineMs ??= performance.now();
      return;
    }
    const number = Number.parseInt(text.toString('latin1', at + 11, at + 21), 10);
    this.delays.push(performance.now() - (this.sentMs[number] as number));
    // The frame header takes 4 bytes.
    this.frameBytes = text.length + 4;
    if (number !== this.had[index]) this.lost += 1;
    this.had[index] = number + 1;
  }

  /** Computes the bytes queued in the daemon for the hundredth reader, given the bytes that the kernel buffers. */
  private look(kernelBytes: number): void {
    // The reader that has received the most shows how much the daemon has sent to all.
    this.queued = this.filledBytes + Math.max(...this.had) * this.frameBytes - kernelBytes;
    if (this.queued > QUEUE_MAX_BYTES) this.passedMs ??= performance.now();
  }
}

/** Measures whether the stalled reader was cut when it had to be, and read why once it read again. */
function measureCuts(drill: Drill, stalled: readonly StalledRun[]): void {
  const early = stalled.filter(({ queuedAtCut }) => queuedAtCut < QUEUE_MAX_BYTES - EARLY_BYTES).length;
  drill.measure({ measure: 'runs in which it was cut while much less waited', value: early, unit: 'runs', exactly: 0 });
  const unread = stalled.filter(({ code }) => code !== CLOSE.tooSlow).length;
  drill.measure({
    measure: 'runs in which it did not read 4408 once it read again',
    value: unread,
    unit: 'runs',
    exactly: 0,
  });
}

await runDrill('stalled-reader', async (drill) => {
  if (!isLinux(drill, 'what the system holds of a connection is read from /proc')) return;
  const daemon = await drill.project().start({});
  const cluster = await openCluster(daemon);
  // Memory allocated and code compiled for the first messages must not be attributed to the stalled reader.
  const warmUp: Run[] = [];
  for (const name of ['first', 'second']) warmUp.push(await new Round(cluster, name).run());
  const plain: Run[] = [];
  const stalled: StalledRun[] = [];
  for (let pair = 0; pair < drill.bound('pairs'); pair += 1) {
    plain.push(await new Round(cluster, `reading-${pair}`).run());
    stalled.push(await new Round(cluster, `stalled-${pair}`).runStalled());
  }
  for (const line of [cluster.publisher, ...cluster.others, ...cluster.fillers]) line.cut();

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
  measureCuts(drill, stalled);
  // Compares peaks only: the resident part of V8's young generation varies more than this from moment to moment.
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
