import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../contract/events.js';
import { PINGS_MISSED_MAX, QUEUE_MAX_BYTES, STALLED_MS } from '../../contract/wall.js';
import { ReaderProgress } from '../../http/reader-progress.js';
import type { SlowReaders } from '../../http/slow-readers.js';
import type { Clock } from '../../lib/time/clock.js';
import { Connection, type Member } from './connection.js';

/** Time that a peer has to respond to the close frame. */
const LINGER_MS = 200;
/**
 * The same for a deleted cluster: longer, so that a slow reader receives its queued frames, the last of which
 * is `closed`.
 */
const LINGER_DELETED_MS = 2_000;
/**
 * A ping unanswered for this long is missed. A peer that stops responding right after a ping is thereby dropped within
 * a minute.
 */
const PONG_WITHIN_MS = 8_000;

/**
 * One open socket in a live cluster. Whole frames are written directly to the connection, many at a time, while `ws`
 * reads, answers pings and closes. This is safe because both write whole frames and no extension is enabled.
 */
export class SocketConnection extends Connection {
  private pingsMissed = 0;
  private pingedMs: number | undefined;
  private readonly progress: ReaderProgress;

  constructor(
    member: Member,
    readonly socket: WebSocket,
    private readonly connection: Socket,
    private readonly clock: Clock,
    private readonly slow: SlowReaders,
    onGone: () => void,
  ) {
    super(member);
    this.progress = new ReaderProgress(connection, clock, STALLED_MS);
    // Listeners attached during the upgrade would keep the whole upgrade request in memory for the lifetime of
    // the socket.
    socket.removeAllListeners('error');
    socket.on('error', () => {
      // On a protocol error `ws` has already sent a close frame. The peer gets a moment to read it.
      onGone();
      this.terminateSoon();
    });
    socket.on('close', onGone);
    socket.on('pong', () => this.lives());
  }

  get queuedBytes(): number {
    return this.connection.writableLength;
  }

  /** Whether `bytes` more bytes can be queued. False on a closing socket or for a reader that is too slow. */
  canTake(bytes: number): boolean {
    const { writableLength } = this.connection;
    // A frame larger than the queue, such as a long roster, goes alone.
    return this.socket.readyState === 1 && (writableLength === 0 || writableLength + bytes <= QUEUE_MAX_BYTES);
  }

  write(bytes: Buffer): void {
    this.connection.write(bytes);
  }

  /** Records a sign of life. */
  lives(): void {
    this.pingsMissed = 0;
    this.pingedMs = undefined;
  }

  ping(): void {
    if (this.socket.readyState !== 1) return;
    if (this.pingedMs !== undefined) this.pingsMissed += 1;
    this.pingedMs = this.clock.elapsed();
    this.socket.ping();
  }

  get isSilent(): boolean {
    const isLate = this.pingedMs !== undefined && this.clock.elapsed() - this.pingedMs >= PONG_WITHIN_MS;
    return this.pingsMissed + (isLate ? 1 : 0) >= PINGS_MISSED_MAX;
  }

  isStalled(): boolean {
    return this.progress.isStalled();
  }

  /**
   * Sends a close frame with the code and reason, and terminates the socket shortly after, whether or not the
   * peer responds; that of a slow reader once it had time to read the frame.
   */
  end(code: number, reason: string): void {
    if (code === CLOSE.tooSlow) {
      this.slow.close(this.socket, reason);
      return;
    }
    if (this.socket.readyState === 1) this.socket.close(code, reason);
    this.terminateSoon(code === CLOSE.deleted ? LINGER_DELETED_MS : LINGER_MS);
  }

  cut(): void {
    this.socket.terminate();
  }

  private terminateSoon(lingerMs = LINGER_MS): void {
    this.clock.after(lingerMs, () => this.socket.terminate());
  }
}
