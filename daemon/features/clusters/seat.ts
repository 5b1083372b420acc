import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { PINGS_MISSED_MAX, QUEUE_MAX_BYTES, STALLED_MS, type Vis } from '../../contract/wall.js';
import type { Clock } from '../../lib/clock.js';

/** Who sits there, as said on joining. */
export interface Member {
  handle: string;
  did: string | null;
  vis: Vis;
  /** Whether it showed the credential that administers the room. */
  isOwner: boolean;
}

/** What one seat gets beside the turn's frames for all, or in place of one of them: `frame` absent leaves out the frame for all numbered `at`. */
export interface OwnItem {
  at: number;
  frame?: Buffer;
}

const LINGER_MS = 200;
/** A ping unanswered for so long is missed. */
const PONG_WITHIN_MS = 10_000;

/**
 * One open socket in a room. Frames are written to the connection itself, whole and many at a time; `ws` reads, answers pings and closes. That may be
 * mixed because both write whole frames and no extension is on.
 */
export class Seat {
  /** Where it stands among the room's seats. */
  index = -1;
  /** What this turn has for it alone; undefined while it gets what all get. */
  own: OwnItem[] | undefined;
  /** The first of the turn's frames that it gets: it was not there for those before. */
  since = 0;
  isGone = false;
  /** Which of the seconds between two rounds of pings is its own, so that not all are pinged at once. */
  pingSlot = 0;
  private pingsMissed = 0;
  private pingedMs: number | undefined;
  private still: { bytes: number; sinceMs: number } | undefined;

  constructor(
    readonly member: Member,
    readonly socket: WebSocket,
    private readonly connection: Socket,
    private readonly clock: Clock,
    onGone: () => void,
  ) {
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

  get isVisible(): boolean {
    return this.member.vis !== 'ghost';
  }

  /** Bytes that wait for the peer to read. */
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

  /** Whether two pings stayed unanswered. */
  get isSilent(): boolean {
    const isLate = this.pingedMs !== undefined && this.clock.elapsed() - this.pingedMs >= PONG_WITHIN_MS;
    return this.pingsMissed + (isLate ? 1 : 0) >= PINGS_MISSED_MAX;
  }

  /** Whether the peer has read nothing for ten seconds while something waited. To be asked every now and then. */
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
    this.letGoSoon();
  }

  /** Lets go at once: a closing handshake would wait behind what the peer does not read. */
  cut(): void {
    this.socket.terminate();
  }

  private letGoSoon(): void {
    this.clock.after(LINGER_MS, () => this.socket.terminate());
  }
}
