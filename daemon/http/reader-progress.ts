import type { Socket } from 'node:net';
import type { Clock } from '../lib/time/clock.js';

/** The handle of a connection, as Node.js itself asks it whether a write under way moves on. */
interface WriteHandle {
  /** All bytes given to it, and those of them that the system has not accepted. */
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/**
 * Tells whether the reader of a connection takes what is queued for it. Everything that waits is written at once, and
 * `writableLength` stays until all of it was taken: of a write under way only the handle knows more. What the system
 * holds for the connection counts as taken, and it takes more in steps: on a slow link seconds may pass between two.
 */
export class ReaderProgress {
  private last: { taken: number; sinceMs: number } | undefined;

  constructor(
    private readonly connection: Socket,
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly stalledMs: number,
  ) {}

  /** Whether nothing of what is queued was taken for `stalledMs`. Must be polled periodically. */
  isStalled(): boolean {
    if (this.connection.writableLength === 0) {
      this.last = undefined;
      return false;
    }
    const taken = countTaken(this.connection);
    const nowMs = this.clock.elapsed();
    if (!this.last || taken > this.last.taken) this.last = { taken, sinceMs: nowMs };
    return nowMs - this.last.sinceMs >= this.stalledMs;
  }
}

/** Number of bytes that the system has accepted; without a handle those of whole writes alone. */
function countTaken(connection: Socket): number {
  const { _handle: handle } = connection as Socket & { _handle?: WriteHandle | null };
  if (typeof handle?.writeQueueSize === 'number') return handle.bytesWritten - handle.writeQueueSize;
  return connection.bytesWritten - connection.writableLength;
}
