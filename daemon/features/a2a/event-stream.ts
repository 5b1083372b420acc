import { Readable } from 'node:stream';
import { type Clock, every } from '../../lib/time/clock.js';

/**
 * Interval of keep-alive comments, so that neither an intermediary nor a client closes a stream that is silent for
 * long: the SDK for Python gives up after five seconds without a byte.
 */
const KEEP_ALIVE_MS = 4_000;

/** JSON texts as server-sent events. The stream ends with `events`; when the reader disconnects, `events` is closed. */
export function eventStream(events: AsyncGenerator<string, void, undefined>, clock: Pick<Clock, 'after'>): Readable {
  let stopBeating: () => void = () => undefined;
  const stream = new Readable({
    read: () => undefined,
    destroy: (error, done) => {
      stopBeating();
      // The generator may be waiting for its next event. The signal of the call ends that wait.
      void events.return().catch(() => undefined);
      done(error);
    },
  });
  const write = async () => {
    for await (const text of events) {
      if (stream.destroyed) return;
      stream.push(`data: ${text}\n\n`);
    }
    stopBeating();
    if (!stream.destroyed) stream.push(null);
  };
  stopBeating = every(clock, KEEP_ALIVE_MS, () => stream.push(': still here\n\n'));
  write().catch((error: unknown) => stream.destroy(error instanceof Error ? error : new Error('The stream broke.')));
  return stream;
}
