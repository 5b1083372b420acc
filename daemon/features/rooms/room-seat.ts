import type { Vis } from '../../contract/wall.js';
import type { Clock } from '../../lib/clock.js';
import type { ClusterRow } from '../clusters/clusters-store.js';
import type { Rooms } from '../clusters/rooms.js';

/** What is said in a room is told of no more often. */
const TELL_EVERY_MS = 1_000;

export interface RoomSeatParts {
  rooms: Pick<Rooms, 'hold'>;
  clock: Clock;
  /** Told that the counts have changed, at most once a second. */
  changed: () => void;
}

/**
 * The operator's seat in one room, and what was counted from it. Of what is said it keeps how much of it there was and when the last came, in memory alone;
 * nothing of what it was. Spec: What the service does, 4.
 */
export class RoomSeat {
  unread = 0;
  unreadDirect = 0;
  /** Epoch seconds. */
  lastAt: number | null = null;
  /** Since when the seat is held, epoch seconds. */
  joinedAt: number;
  private leaveSeat: (() => void) | undefined;
  private toldMs = Number.NEGATIVE_INFINITY;
  private cancelTelling: (() => void) | undefined;

  constructor(private readonly parts: RoomSeatParts) {
    this.joinedAt = this.now();
  }

  /**
   * Sits down, or moves to a seat of another handle or visibility: the new one is taken before the old one goes, so that nobody sees a handle leave that
   * stays. Counting begins anew where nothing was held.
   */
  take(cluster: Pick<ClusterRow, 'id' | 'visibility'>, handle: string, vis: Vis): void {
    if (!this.leaveSeat) {
      this.joinedAt = this.now();
      this.clear();
    }
    const leave = this.parts.rooms.hold(cluster, { handle, did: null, vis, isOwner: false }, (isDirect) =>
      this.heard(isDirect),
    );
    this.leaveSeat?.();
    this.leaveSeat = leave;
  }

  /** Gets up; the others are told if nobody of the handle is left. What was counted stays. Repeating it is safe. */
  leave(): void {
    this.leaveSeat?.();
    this.leaveSeat = undefined;
    this.stop();
  }

  /** Nothing is unread any more. Returns whether there was something. */
  read(): boolean {
    const hadSome = this.unread > 0;
    this.unread = 0;
    this.unreadDirect = 0;
    return hadSome;
  }

  /** Tells of nothing more. */
  stop(): void {
    this.cancelTelling?.();
    this.cancelTelling = undefined;
  }

  private clear(): void {
    this.read();
    this.lastAt = null;
  }

  private heard(isDirect: boolean): void {
    this.unread += 1;
    if (isDirect) this.unreadDirect += 1;
    this.lastAt = this.now();
    if (this.cancelTelling) return;
    const waitMs = this.toldMs + TELL_EVERY_MS - this.parts.clock.elapsed();
    if (waitMs <= 0) this.tell();
    else this.cancelTelling = this.parts.clock.after(waitMs, () => this.tell());
  }

  private tell(): void {
    this.cancelTelling = undefined;
    this.toldMs = this.parts.clock.elapsed();
    this.parts.changed();
  }

  private now(): number {
    return Math.floor(this.parts.clock.now() / 1000);
  }
}
