import type { Socket } from './socket.js';
import type { Timers } from './timers.js';

/** A connection that replaces its socket until it is stopped, with the timers of its watchdog and its next attempt. */
export abstract class ReconnectingLine<S extends Omit<Socket, 'onopen' | 'send'>> {
  protected socket: S | undefined;
  protected attempt = 0;
  protected lastActivityAt = 0;
  protected retry: unknown;
  protected watchdog: unknown;
  protected isStopped = true;
  /** The question whether the daemon answers, until it is answered or does not matter any more. */
  protected asking: Promise<void> | undefined;

  constructor(
    protected readonly timers: Timers,
    private readonly mayConnect?: () => Promise<boolean>,
  ) {}

  /** Idempotent. */
  stop(): void {
    this.isStopped = true;
    this.timers.clearTimeout(this.retry);
    this.drop();
  }

  protected abstract connect(): void;

  /** Called instead of `connect` when `mayConnect` resolved with false or rejected. */
  protected abstract putOff(): void;

  /** Replaces the connection, if it may connect. */
  protected reconnect(): void {
    this.timers.clearTimeout(this.retry);
    this.drop();
    const asking = this.mayConnect?.()
      .catch(() => false)
      .then((mayConnect) => {
        if (this.asking !== asking) return;
        if (mayConnect) this.connect();
        else this.putOff();
      });
    this.asking = asking;
    if (!asking) this.connect();
  }

  protected connectAfter(delayMs: number): void {
    this.attempt += 1;
    this.retry = this.timers.setTimeout(() => this.reconnect(), delayMs);
  }

  /** Closes the socket; its events are ignored from then on, and so is the answer to a pending question. */
  protected drop(): void {
    this.asking = undefined;
    this.timers.clearTimeout(this.watchdog);
    const socket = this.socket;
    this.socket = undefined;
    if (!socket) return;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }
}

/** Parses the data of a message. Returns undefined unless it is JSON for which `isFrame` holds. */
export function readFrame<Frame>(data: unknown, isFrame: (frame: Partial<Frame>) => boolean): Frame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const frame = JSON.parse(data) as Partial<Frame> | null;
    return frame && isFrame(frame) ? (frame as Frame) : undefined;
  } catch {
    return undefined;
  }
}
