import type { EventFrame } from '../contract/events.js';
import { ApiError } from './api-error.js';
import type { Daemon } from './daemon.js';
import { EventsLine, type HeldLine, type LineStatus } from './events-line.js';
import { FrameQueue } from './frame-queue.js';
import { openSocket } from './open-socket.js';
import { reconnectDelayMs } from './reconnect-policy.js';
import { realTimers } from './timers.js';

/**
 * Frames that may wait for a slow reader. Beyond that the connection is closed, and resumed at the same point once all
 * are read.
 */
const WAITING_MAX = 1_000;

export interface EventsOptions {
  /** Resumes after this `seq`. Without it the first frame is a `hello` with the current state. */
  since?: number;
  /** How many attempts in a row may fail before the stream is given up; no limit when absent. */
  attempts?: number;
  /** Called whenever the connection breaks or is back. */
  onStatus?(status: LineStatus): void;
}

export interface EventsWatch extends EventsOptions {
  onFrame(frame: EventFrame): void;
  /** Called when the stream is given up after `attempts`. */
  onGivenUp?(error: ApiError): void;
}

/**
 * Calls `onFrame` with each event frame of the daemon, from `start` of the returned line until its `stop`. A connection
 * that breaks or is silent for 25 seconds (the daemon sends a heartbeat every ten) is resumed where it was. When the
 * daemon does not hold that position, or has restarted, the next frame is a `hello`: data read before may be stale.
 * Throws TypeError when there is no WebSocket. Contract: Events.
 */
export function watchEvents(daemon: Daemon, { since, attempts, onFrame, onStatus, onGivenUp }: EventsWatch): HeldLine {
  const line = new EventsLine({
    open: (last) => openSocket(daemon, '/events', { since: last }),
    since,
    timers: realTimers(),
    retryAfterMs: (attempt, random) => {
      if (attempt === attempts) {
        line.stop();
        onGivenUp?.(new ApiError(0, 'offline', 'The event stream of the daemon ended. Start it with `meshd up`.'));
      }
      return reconnectDelayMs(attempt, random);
    },
    onFrame,
    onStatus: (status) => onStatus?.(status),
    onReconnected: () => undefined,
  });
  return line;
}

/**
 * As `watchEvents`, but as an async iterator without heartbeats. Leaving the loop closes the connection, and so does
 * `signal`, whose reason is then thrown. Throws `ApiError` `offline` after `attempts`.
 */
export async function* events(
  daemon: Daemon,
  { signal, ...options }: EventsOptions & { signal?: AbortSignal } = {},
): AsyncGenerator<Exclude<EventFrame, { type: 'heartbeat' }>, void, undefined> {
  const queue = new FrameQueue<Exclude<EventFrame, { type: 'heartbeat' }>>();
  let isHeld = false;
  const line = watchEvents(daemon, {
    ...options,
    onFrame: (frame) => {
      if (frame.type === 'heartbeat') return;
      queue.push(frame);
      if (queue.size < WAITING_MAX) return;
      isHeld = true;
      line.stop();
    },
    onGivenUp: (error) => queue.end(error),
  });
  const leave = () => queue.cut(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', leave, { once: true });
  line.start();
  try {
    for (;;) {
      if (isHeld && queue.size === 0) {
        isHeld = false;
        line.start();
      }
      const frame = await queue.next();
      if (frame === undefined) return;
      yield frame;
    }
  } finally {
    line.stop();
    signal?.removeEventListener('abort', leave);
  }
}
