import type { Socket } from 'node:net';
import { connectInto } from '../buffered-socket.js';
import type { Greeting } from './fanout-brokers.js';
import { clientFrame, webSocketGreeting } from './fanout-websocket.js';

/** A server that sends nothing for this long is considered stuck. */
const STUCK_MS = 15_000;
const BUFFER = Buffer.allocUnsafe(1024 * 1024);

/** One connection of the load. It counts bytes without parsing them, so that the load is not what is measured. */
class Line {
  bytes = 0;
  onBytes: ((all: number) => void) | undefined;
  private constructor(readonly socket: Socket) {}

  static open(port: number, path: string, greeting: Greeting): Promise<Line> {
    return new Promise((resolve, reject) => {
      let head = '';
      let line: Line | undefined;
      const counted = greeting.counter?.() ?? (({ length }: Buffer) => length);
      const socket = connectInto(port, BUFFER, (count) => {
        if (line) {
          line.bytes += counted(BUFFER.subarray(0, count));
          line.onBytes?.(line.bytes);
          return;
        }
        head += BUFFER.toString('latin1', 0, count);
        const end = greeting.end(head);
        if (end === -1) return;
        line = new Line(socket);
        line.bytes = counted(Buffer.from(head.slice(end), 'latin1'));
        resolve(line);
      });
      socket.once('error', reject);
      socket.write(greeting.first(path, port));
    });
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when `look` returns the same value, at least `least`, for a quarter of a second. */
async function stable(look: () => number, least = 0): Promise<void> {
  for (let before = -1; before !== look() || before < least; ) {
    before = look();
    await pause(250);
  }
}

/** Connections to one server. The first one publishes and the others listen. */
export class Lines {
  private constructor(readonly all: readonly Line[]) {}

  static async open(
    port: number,
    path: string,
    count: number,
    greeting: Greeting = webSocketGreeting(),
  ): Promise<Lines> {
    const all: Line[] = [];
    while (all.length < count) {
      const batch = Array.from({ length: Math.min(50, count - all.length) }, (_, n) =>
        Line.open(port, `${path}s${all.length + n}`, greeting),
      );
      all.push(...(await Promise.all(batch)));
    }
    for (const [number, { socket }] of all.entries()) socket.write(greeting.hello?.(number) ?? '');
    const lines = new Lines(all);
    await lines.quiet();
    return lines;
  }

  get publisher(): Line {
    return this.all[0] as Line;
  }

  get listeners(): readonly Line[] {
    return this.all.slice(1);
  }

  /** Resolves when nothing has arrived for a while, and resets all counts. */
  async quiet(): Promise<void> {
    await stable(() => this.sum());
    for (const line of this.all) line.bytes = 0;
  }

  /** Returns the number of bytes of `frame` that reach a listener. */
  async getSize(frame: Buffer): Promise<number> {
    await this.quiet();
    this.publisher.socket.write(frame);
    await stable(() => this.listeners.reduce((total, { bytes }) => total + bytes, 0), 1);
    const sizes = new Set(this.listeners.map(({ bytes }) => bytes));
    const [size] = sizes;
    if (sizes.size !== 1 || !size) throw new Error(`Listeners got ${[...sizes].join(', ')} bytes of one message.`);
    await this.quiet();
    return size;
  }

  /**
   * Returns the deliveries a second for `messages` messages with `window` of them in flight. A message is finished when
   * the last listener has received it.
   */
  async rate(frame: Buffer, size: number, messages: number, window: number): Promise<number> {
    await this.quiet();
    const { listeners, publisher } = this;
    const last = listeners.at(-1) as Line;
    const full = messages * size;
    let sent = 0;
    let missing = listeners.length;
    const started = performance.now();
    const delivered = new Promise<void>((resolve) => {
      const send = (count: number) => {
        const now = Math.min(count, messages - sent);
        if (now <= 0) return;
        sent += now;
        publisher.socket.write(now === 1 ? frame : Buffer.concat(Array<Buffer>(now).fill(frame)));
      };
      for (const line of listeners) {
        line.onBytes = (all) => {
          if (line === last) send(window - (sent - Math.floor(all / size)));
          if (all < full) return;
          line.onBytes = undefined;
          missing -= 1;
          if (missing === 0) resolve();
        };
      }
      send(window);
    });
    await this.moving(delivered);
    return (messages * listeners.length * 1000) / (performance.now() - started);
  }

  /** Returns the milliseconds from sending a message to each delivery, at `perSecond` messages a second. */
  async delays(frame: Buffer, size: number, messages: number, perSecond: number): Promise<number[]> {
    await this.quiet();
    const { listeners, publisher } = this;
    const sentMs: number[] = [];
    const delays: number[] = [];
    for (const line of listeners) {
      let had = 0;
      line.onBytes = (all) => {
        const nowMs = performance.now();
        for (; (had + 1) * size <= all; had += 1) delays.push(nowMs - (sentMs[had] as number));
      };
    }
    const started = performance.now();
    const delivered = async () => {
      while (delays.length < messages * listeners.length) {
        const due = Math.min(messages, Math.floor(((performance.now() - started) * perSecond) / 1000));
        for (; sentMs.length < due; ) {
          sentMs.push(performance.now());
          publisher.socket.write(frame);
        }
        await pause(1);
      }
    };
    await this.moving(delivered());
    for (const line of listeners) line.onBytes = undefined;
    return delays;
  }

  /**
   * Returns the direct messages a second from the publisher to the last listener with `window` in flight. A message is
   * finished when its receiver has it and its sender has the ack.
   */
  async directs(frame: Buffer, messages: number, window: number): Promise<number> {
    await this.quiet();
    const { publisher } = this;
    const last = this.listeners.at(-1) as Line;
    publisher.socket.write(frame);
    await stable(() => Math.min(last.bytes, publisher.bytes), 1);
    const sizes = { message: last.bytes, ack: publisher.bytes };
    await this.quiet();
    let sent = 0;
    const started = performance.now();
    const done = new Promise<void>((resolve) => {
      const step = () => {
        const done = Math.floor(Math.min(last.bytes / sizes.message, publisher.bytes / sizes.ack));
        if (done >= messages) return resolve();
        const now = Math.min(window - (sent - done), messages - sent);
        if (now <= 0) return;
        sent += now;
        publisher.socket.write(Buffer.concat(Array<Buffer>(now).fill(frame)));
      };
      last.onBytes = step;
      publisher.onBytes = step;
      step();
    });
    await this.moving(done);
    last.onBytes = undefined;
    publisher.onBytes = undefined;
    return (messages * 1000) / (performance.now() - started);
  }

  /** Returns the bytes a second that arrive unrequested, measured for `ms`. */
  async intake(ms: number): Promise<number> {
    await this.quiet();
    const go = clientFrame('go');
    this.publisher.socket.write(go);
    await pause(ms / 4);
    const before = this.sum();
    const started = performance.now();
    await pause(ms);
    const rate = ((this.sum() - before) * 1000) / (performance.now() - started);
    this.publisher.socket.write(go);
    return rate;
  }

  /** The number of bytes received by all connections since the last reset. */
  get bytes(): number {
    return this.sum();
  }

  private sum(): number {
    return this.all.reduce((total, { bytes }) => total + bytes, 0);
  }

  /**
   * Throws an Error when nothing arrives while `work` is in progress: a server that drops messages would block the
   * bench for ever.
   */
  private async moving(work: Promise<void>): Promise<void> {
    let before = -1;
    let looking: NodeJS.Timeout | undefined;
    const stuck = new Promise<never>((_, reject) => {
      looking = setInterval(() => {
        const now = this.sum();
        if (now === before) reject(new Error(`Nothing has come for ${STUCK_MS / 1000} s, after ${now} bytes.`));
        before = now;
      }, STUCK_MS);
    });
    try {
      await Promise.race([work, stuck]);
    } finally {
      clearInterval(looking);
    }
  }

  close(): void {
    for (const { socket } of this.all) socket.destroy();
  }
}
