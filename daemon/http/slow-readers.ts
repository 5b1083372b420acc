import type { WebSocket } from 'ws';
import { CLOSE } from '../contract/events.js';
import type { Clock } from '../lib/time/clock.js';

/** Time that a slow reader has to read what is queued for it, at the end of which is the close frame. */
const LINGER_MS = 30_000;
/** Maximum number of bytes queued for all readers that are being closed. Beyond it, the oldest are terminated. */
const LINGERING_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Closes sockets whose reader is too slow with 4408. The close frame is behind data that the reader has not read, so
 * the socket stays for up to 30 s: a reader that reads again learns the code, and 1006 means that the line is gone.
 */
export class SlowReaders {
  /** Those being closed, the oldest first. */
  private readonly closing = new Set<WebSocket>();

  constructor(private readonly clock: Clock) {}

  close(socket: WebSocket, reason: string): void {
    if (socket.readyState !== socket.OPEN) return;
    socket.close(CLOSE.tooSlow, reason);
    this.closing.add(socket);
    const cancel = this.clock.after(LINGER_MS, () => socket.terminate());
    socket.once('close', () => {
      cancel();
      this.closing.delete(socket);
    });
    this.limitBytes();
  }

  /** Terminates all of them because the daemon stops. */
  stop(): void {
    for (const socket of this.closing) socket.terminate();
  }

  private limitBytes(): void {
    let bytes = 0;
    for (const { bufferedAmount } of this.closing) bytes += bufferedAmount;
    for (const socket of this.closing) {
      if (bytes <= LINGERING_MAX_BYTES) return;
      bytes -= socket.bufferedAmount;
      this.closing.delete(socket);
      socket.terminate();
    }
  }
}
