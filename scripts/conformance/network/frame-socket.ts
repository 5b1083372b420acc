import { once } from 'node:events';
import { WebSocket } from 'ws';
import { isLike, MismatchError } from './scenario.js';

/** Milliseconds within which a frame must arrive. */
const PATIENCE_MS = 5_000;

// biome-ignore lint/suspicious/noExplicitAny: a frame as it came over the wire, judged by the scenarios.
type Frame = any;

/** A WebSocket that keeps the frames it received until they are asked for. */
export class FrameSocket {
  private readonly frames: Frame[] = [];
  private readonly closing: Promise<number>;
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)));
      this.wake();
    });
    this.closing = once(socket, 'close').then(([code]) => Number(code));
  }

  /** Opens a socket at `path` of the daemon. Rejects with the status when the upgrade is refused. */
  static async open(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<FrameSocket> {
    const socket = new WebSocket(url.replace(/^http/, 'ws') + path, { headers });
    const client = new FrameSocket(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (request, response) => {
        request.destroy();
        reject(new UpgradeRefusedError(response.statusCode ?? 0));
      });
      socket.on('error', reject);
    });
    return client;
  }

  /** Sends a text as it is, and anything else as JSON. */
  say(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Returns the next frame, which must be like `expected`. */
  async next(expected: unknown = {}): Promise<Frame> {
    if (this.frames.length === 0) await this.arrival(expected);
    const frame = this.frames.shift();
    if (!isLike(frame, expected)) throw new MismatchError('the next frame', expected, frame);
    return frame;
  }

  /** Returns the first frame like `expected`, and drops those before it. */
  async find(expected: unknown): Promise<Frame> {
    const passed: Frame[] = [];
    for (;;) {
      if (this.frames.length === 0) await this.arrival(expected, passed);
      const frame = this.frames.shift();
      if (isLike(frame, expected)) return frame;
      passed.push(frame);
    }
  }

  /** Returns the code with which the daemon closes the socket. */
  closed(): Promise<number> {
    return within(this.closing, () => new MismatchError('the socket', 'closed by the daemon', 'open'));
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed();
  }

  private arrival(expected: unknown, passed: readonly Frame[] = []): Promise<void> {
    const arrived = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    return within(arrived, () => new MismatchError('no more frames arrive', expected, passed));
  }
}

/** The daemon answered an upgrade with this status. */
class UpgradeRefusedError extends Error {
  constructor(readonly status: number) {
    super(`The upgrade was answered ${status}.`);
  }
}

/** Opens a socket that must be refused. Throws MismatchError unless the status of the answer is `status`. */
export async function expectRefusedUpgrade(url: string, path: string, status: number): Promise<void> {
  const received = await FrameSocket.open(url, path).then(
    async (socket) => {
      await socket.close();
      return 101;
    },
    (error: unknown) => {
      if (error instanceof UpgradeRefusedError) return error.status;
      throw error;
    },
  );
  if (received !== status) throw new MismatchError(`the upgrade of ${path}`, status, received);
}

async function within<Value>(work: Promise<Value>, tooLate: () => Error): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate()), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
