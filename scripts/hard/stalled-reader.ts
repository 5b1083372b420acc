/**
 * A hundred readers of 16 KB messages, and in every other run one of them stops reading. The others must get every message, in order, hardly later than
 * without it; the one that stands still must be cut within a second of more than 1 MiB waiting for it; the daemon must not grow. What waits is worked out
 * from outside: what was sent so far, less what the kernel says it holds of the connection, which is filled first. Exits 1 when one does not hold. Linux only.
 * `npx tsx scripts/hard/stalled-reader.ts`, half a minute.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterCreated } from '../../daemon/contract/clusters.js';
import { QUEUE_MAX_BYTES } from '../../daemon/contract/wall.js';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { buildIfStale, DrillProject, quantile, report, reportGoal, until } from './drill.js';
import { WallLine } from './wall-line.js';

const DRILL = 'stalled-reader';
const OTHERS = 99;
const PAIRS = 3;
const MESSAGES = 200;
const PER_SECOND = 50;
const PAYLOAD = 'x'.repeat(16 * 1024);
/** Who fill the kernel's share of the stalled connection: none of them says more than one may in a second. */
const FILLERS = 16;
const FILLER = 'x'.repeat(60_000);
const FILLS_MAX = FILLERS * 16;
/** So much must wait in the daemon before the messages begin. */
const FILLED_BYTES = 256 * 1024;
/** How far from the truth what is worked out may be: a few messages. */
const EARLY_BYTES = 128 * 1024;
const SAMPLE_MS = 10;
const LIMIT_MS = 30_000;
const ESTABLISHED = '01';

interface Held {
  /** Bytes that the kernel holds of the connection, at both ends. */
  bytes: number;
  isOpen: boolean;
}

/** What the kernel holds of the connection from `clientPort` to the daemon's `port`. */
function heldByKernel(port: number, clientPort: number): Held {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(4, '0');
  const held: Held = { bytes: 0, isOpen: false };
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const [, local = '', remote = '', state, queues = ''] = line.trim().split(/\s+/);
    const [sending = '0', received = '0'] = queues.split(':');
    if (local.endsWith(`:${hex(port)}`) && remote.endsWith(`:${hex(clientPort)}`)) {
      held.bytes += Number.parseInt(sending, 16);
      held.isOpen = state === ESTABLISHED;
    } else if (local.endsWith(`:${hex(clientPort)}`) && remote.endsWith(`:${hex(port)}`)) held.bytes += Number.parseInt(received, 16);
  }
  return held;
}

/** The number that a message of the drill has; undefined for other frames. */
function numberOf(text: Buffer): number | undefined {
  const at = text.indexOf('"payload":"');
  return at === -1 ? undefined : Number.parseInt(text.toString('latin1', at + 11, at + 21), 10);
}

interface Run {
  p99Ms: number;
  /** Messages that one of the others did not get, or got out of order. */
  lost: number;
  peakBytes: number;
  /** From more than 1 MiB waiting until everybody is told that the reader is gone and its connection is closed; undefined where nothing stalled. */
  cutMs?: number;
  queuedAtCut?: number;
}

class Room {
  private readonly sentMs: number[] = [];
  private delays: number[] = [];
  private readonly had: number[] = [];
  private lost = 0;
  private offlineMs: number | undefined;
  private passedMs: number | undefined;
  private queued = 0;
  private frameBytes = 0;
  private filledBytes = 0;
  private acks = 0;
  private run = 0;

  private constructor(
    private readonly daemon: DaemonProcess,
    private readonly port: number,
    private readonly path: string,
    private readonly publisher: WallLine,
    private readonly others: readonly WallLine[],
    private readonly fillers: readonly WallLine[],
  ) {
    for (const line of fillers) {
      line.onText = (text) => {
        if (text.includes('"ack"')) this.acks += 1;
      };
    }
  }

  static async open(daemon: DaemonProcess): Promise<Room> {
    const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
    const { port, pathname, search } = new URL(ws as string);
    const path = `${pathname}${search}&agent=`;
    const join = async (name: string, count: number) => {
      const lines: WallLine[] = [];
      for (let number = 0; number < count; number += 1) lines.push(await WallLine.open(Number(port), `${path}${name}-${number}`));
      return lines;
    };
    const [publisher] = await join('publisher', 1);
    // They hear what the others hear, and drop it.
    return new Room(daemon, Number(port), path, publisher as WallLine, await join('reader', OTHERS), await join('filler', FILLERS));
  }

  /** Sends all messages once, with a hundredth reader that reads or does not. */
  async round(isStalled: boolean): Promise<Run> {
    this.run += 1;
    this.sentMs.length = 0;
    this.delays = [];
    this.had.fill(0, 0, this.had.push(...Array(OTHERS - this.had.length).fill(0)));
    this.lost = 0;
    this.offlineMs = undefined;
    this.passedMs = undefined;
    const handle = `hundredth-${this.run}`;
    const hundredth = await WallLine.open(this.port, `${this.path}${handle}`);
    for (const [index, line] of this.others.entries()) line.onText = (text) => this.heard(index, text, handle);
    this.filledBytes = 0;
    if (isStalled) {
      hundredth.stall();
      await this.fill(handle, hundredth.localPort);
    }

    let peakBytes = 0;
    let held: Held = { bytes: 0, isOpen: true };
    let closedMs: number | undefined;
    const sampling = setInterval(() => {
      peakBytes = Math.max(peakBytes, this.daemon.residentBytes());
      // Looked at in every run, since the look takes time from the readers.
      held = heldByKernel(this.port, hundredth.localPort);
      if (!isStalled || closedMs !== undefined) return;
      if (!held.isOpen) closedMs = performance.now();
      if (this.offlineMs === undefined) this.look(held.bytes);
    }, SAMPLE_MS);
    try {
      await this.publish();
      await until(
        'every message at every other reader',
        LIMIT_MS,
        () => this.had.reduce((sum, had) => sum + had, 0),
        (had) => had >= MESSAGES * OTHERS,
      );
      const run = { p99Ms: quantile(this.delays, 0.99), lost: this.lost + this.had.filter((had) => had !== MESSAGES).length, peakBytes };
      if (!isStalled) return run;
      await until(
        'the stalled reader cut',
        LIMIT_MS,
        () => closedMs,
        (ms) => ms !== undefined,
      );
      // Who is cut as soon as it passes is never seen past it.
      const passedMs = this.passedMs ?? this.offlineMs ?? Number.NaN;
      const cutMs = Math.max(0, (this.offlineMs ?? Number.NaN) - passedMs, (closedMs ?? Number.NaN) - passedMs);
      return { ...run, peakBytes, cutMs, queuedAtCut: this.queued };
    } finally {
      clearInterval(sampling);
      hundredth.cut();
      await until(
        'the hundredth gone',
        LIMIT_MS,
        () => this.offlineMs,
        (ms) => ms !== undefined,
      );
    }
  }

  close(): void {
    for (const line of [this.publisher, ...this.others, ...this.fillers]) line.cut();
  }

  /** Sends the stalled reader what the kernel takes for it, and a little more. */
  private async fill(handle: string, clientPort: number): Promise<void> {
    const frame = JSON.stringify({ to: handle, payload: FILLER });
    this.acks = 0;
    for (let sent = 1; sent <= FILLS_MAX; sent += 1) {
      this.fillers[sent % FILLERS]?.say(frame);
      await until(
        'an ack',
        LIMIT_MS,
        () => this.acks,
        (acks) => acks === sent,
      );
      this.filledBytes += FILLER.length;
      if (this.filledBytes - heldByKernel(this.port, clientPort).bytes > FILLED_BYTES) return;
    }
    throw new Error(`The kernel takes ${this.filledBytes} bytes of one connection: the drill has no more.`);
  }

  private async publish(): Promise<void> {
    const startedMs = performance.now();
    while (this.sentMs.length < MESSAGES) {
      const due = Math.min(MESSAGES, Math.floor(((performance.now() - startedMs) * PER_SECOND) / 1_000) + 1);
      while (this.sentMs.length < due) {
        const number = String(this.sentMs.length).padStart(10, '0');
        this.sentMs.push(performance.now());
        this.publisher.say(JSON.stringify({ payload: `${number} ${PAYLOAD}` }));
      }
      await pause(2);
    }
  }

  private heard(index: number, text: Buffer, handle: string): void {
    const number = numberOf(text);
    if (number === undefined) {
      if (text.includes('"offline"') && text.includes(`"${handle}"`)) this.offlineMs ??= performance.now();
      return;
    }
    this.delays.push(performance.now() - (this.sentMs[number] as number));
    this.frameBytes = text.length + 4;
    if (number !== this.had[index]) this.lost += 1;
    this.had[index] = number + 1;
  }

  /** Takes down since when more than may waits for the hundredth, of whom the kernel holds so many bytes. */
  private look(kernelBytes: number): void {
    // Whoever hears it last tells that the daemon has sent it to all.
    this.queued = this.filledBytes + Math.max(...this.had) * this.frameBytes - kernelBytes;
    if (this.queued > QUEUE_MAX_BYTES) this.passedMs ??= performance.now();
  }
}

async function drill(): Promise<void> {
  const project = new DrillProject({ 'README.md': '# Lamp\n' });
  try {
    const daemon = await project.start({});
    const room = await Room.open(daemon);
    await room.round(false);
    const before = daemon.residentBytes();
    const plain: Run[] = [];
    const stalled: Run[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      plain.push(await room.round(false));
      stalled.push(await room.round(true));
    }
    room.close();
    const middle = (runs: readonly Run[]) =>
      quantile(
        runs.map(({ p99Ms }) => p99Ms),
        0.5,
      );
    const lost = [...plain, ...stalled].reduce((sum, run) => sum + run.lost, 0);
    const growth = (Math.max(...stalled.map(({ peakBytes }) => peakBytes)) - before) / 1e6;
    const cuts = stalled.map(({ cutMs = Number.NaN }) => cutMs);
    const goal = (words: string, rest: Omit<Parameters<typeof reportGoal>[0], 'drill' | 'goal'>) =>
      reportGoal({ drill: DRILL, goal: words, ...rest });
    goal(`messages that one of ${OTHERS} others lost, of ${MESSAGES} in each of ${2 * PAIRS} runs`, {
      value: lost,
      unit: 'messages',
      exactly: 0,
    });
    goal('p99 of deliveries over that of a run without a stalled reader', {
      value: middle(stalled) / middle(plain),
      unit: 'times',
      atMost: 2,
      said: `${middle(stalled).toFixed(1)} ms over ${middle(plain).toFixed(1)} ms`,
    });
    goal('the stalled reader is cut after 1 MiB waits for it, at the latest', {
      value: Math.max(...cuts),
      unit: 'ms',
      atMost: 1_000,
      said: `${stalled.map(({ queuedAtCut = 0 }) => Math.round(queuedAtCut / 1024)).join(', ')} KiB waited`,
    });
    const early = stalled.filter(({ queuedAtCut = 0 }) => queuedAtCut < QUEUE_MAX_BYTES - EARLY_BYTES).length;
    goal('runs in which it was cut while much less waited', { value: early, unit: 'runs', exactly: 0 });
    goal('memory of the daemon more than before', { value: growth, unit: 'MB', atMost: 20 });
  } catch (error) {
    report({ drill: DRILL, subject: 'a stalled reader', said: String(error), pass: false });
  } finally {
    await project.remove();
  }
}

buildIfStale();
await drill();
