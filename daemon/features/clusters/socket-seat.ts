import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../contract/events.js';
import { PINGS_MISSED_MAX, QUEUE_MAX_BYTES, STALLED_MS } from '../../contract/wall.js';
import type { Clock } from '../../lib/clock.js';
import { type Member, Seat } from './seat.js';

/** How long a peer may take to answer the close frame. */
const LINGER_MS = 200;
/** The same where its cluster was deleted: what waits for one who is behind goes out first, and `closed` is the last of it. */
const LINGER_DELETED_MS = 2_000;
/** A ping unanswered for so long is missed: who stops answering right after one is gone within a minute. */
const PONG_WITHIN_MS = 8_000;

/**
 * One open socket in a room. Frames are written to the connection itself, whole and many at a time; `ws` reads, answers pings and closes. That may be
 * mixed because both write whole frames and no extension is on.
 */
export class SocketSeat extends Seat {
  private pingsMissed = 0;
  private pingedMs: number | undefined;
  private still: { bytes: number; sinceMs: number } | undefined;

  constructor(
    member: Member,
    readonly socket: WebSocket,
    private readonly connection: Socket,
    private readonly clock: Clock,
    onGone: () => void,
  ) {
    super(member);
    // What was attached on the way here keeps the whole request of the upgrade alive for as long as the socket.
    socket.removeAllListeners('error');
    socket.on('error', () => {
      // A breach of the protocol: `ws` has said so to the peer already, who gets a moment to read it.
      onGone();
      this.letGoSoon();
    });
    socket.on('close', onGone);
    socket.on('pong', () => this.lives());
  }

  get queuedBytes(): number {
    return this.connection.writableLength;
  }

  /** Whether `bytes` more can be queued: not on a socket that closes, nor for a reader that is too far behind. */
  canTake(bytes: number): boolean {
    return this.socket.readyState === 1 && this.connection.writableLength + bytes <= QUEUE_MAX_BYTES;
  }

  write(bytes: Buffer): void {
    this.connection.write(bytes);
  }

  /** A sign of life. */
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
    const bytes = this.connection.writableLength;
    const nowMs = this.clock.elapsed();
    if (bytes === 0 || !this.still || bytes < this.still.bytes) {
      this.still = bytes === 0 ? undefined : { bytes, sinceMs: nowMs };
      return false;
    }
    return nowMs - this.still.sinceMs >= STALLED_MS;
  }

  /** Tells the peer that it is over and why, and lets go of the socket soon, whether or not it answers. */
  end(code: number, reason: string): void {
    if (this.socket.readyState === 1) this.socket.close(code, reason);
    this.letGoSoon(code === CLOSE.deleted ? LINGER_DELETED_MS : LINGER_MS);
  }

  cut(): void {
    this.socket.terminate();
  }

  private letGoSoon(lingerMs = LINGER_MS): void {
    this.clock.after(lingerMs, () => this.socket.terminate());
  }
}
