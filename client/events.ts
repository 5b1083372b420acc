import type { EventFrame } from '../daemon/contract/events.js';
import { ApiError } from './api-error.js';
import type { Daemon } from './daemon.js';
import { EventsLine, type HeldLine, type LineStatus } from './events-line.js';
import { FrameQueue } from './frame-queue.js';
import { openSocket } from './open-socket.js';
import { reconnectDelayMs } from './reconnect-policy.js';
import { realTimers } from './timers.js';

/** Frames that may wait for a slow reader; beyond it the line is let go, and taken up again where it was once all are read. */
const WAITING_MAX = 1_000;

export interface EventsOptions {
  /** Resumes after this `seq`; without it the first frame is a `hello` with the state of the moment. */
  since?: number;
  /** How many tries in a row may fail before the line is given up; without end when absent. */
  attempts?: number;
  /** Told whenever the line breaks or is back. */
  onStatus?(status: LineStatus): void;
}

export interface EventsWatch extends EventsOptions {
  onFrame(frame: EventFrame): void;
  /** The line was given up after `attempts`. */
  onGivenUp?(error: ApiError): void;
}

/**
 * Tells what happens in the daemon, frame by frame, from the returned line's `start` until its `stop`. A line that breaks, or is silent for 25 seconds (the daemon's
 * heartbeat comes every ten), is taken up where it was; when the daemon does not hold that any more, or was started anew, the next frame is a `hello`: whatever was
 * known before may be stale. Throws TypeError where there is no WebSocket. Contract: Events.
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
 * As `watchEvents`, to be read by `for await`: heartbeats are left out, leaving the loop closes the line, and so does `signal`, whose reason is then thrown. Throws
 * `ApiError` `offline` after `attempts`.
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
