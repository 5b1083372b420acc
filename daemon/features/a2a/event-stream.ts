import { Readable } from 'node:stream';
import { type Clock, every } from '../../lib/clock.js';

/** A comment is sent this often, so that nobody between here and the reader takes a long thought for a dead connection. */
const KEEP_ALIVE_MS = 15_000;

/** JSON texts as server-sent events. Ends with them; when its reader goes, so do they. */
export function eventStream(events: AsyncGenerator<string, void, undefined>, clock: Pick<Clock, 'after'>): Readable {
  let stopBeating: () => void = () => undefined;
  const stream = new Readable({
    read: () => undefined,
    destroy: (error, done) => {
      stopBeating();
      // It may be waiting for its next event: whoever made it sees to that by the signal of the call.
      void events.return().catch(() => undefined);
      done(error);
    },
  });
  const write = async () => {
    for await (const text of events) {
      if (stream.destroyed) return;
      stream.push(`data: ${text}\n\n`);
    }
    if (!stream.destroyed) stream.push(null);
  };
  stopBeating = every(clock, KEEP_ALIVE_MS, () => stream.push(': still here\n\n'));
  write().catch((error: unknown) => stream.destroy(error instanceof Error ? error : new Error('The stream broke.')));
  return stream;
}
