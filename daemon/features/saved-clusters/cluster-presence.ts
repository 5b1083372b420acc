import type { Vis } from '../../contract/wall.js';
import type { Clock } from '../../lib/time/clock.js';
import type { ClusterHub } from '../clusters/cluster-hub.js';
import type { ClusterRow } from '../clusters/clusters-store.js';

/** Minimum interval between two notifications about new messages. */
const TELL_EVERY_MS = 1_000;

interface ClusterPresenceParts {
  hub: Pick<ClusterHub, 'hold'>;
  clock: Clock;
  /** Called when the counts have changed, at most once a second. */
  changed: () => void;
}

/**
 * The operator's connection in one saved cluster, with its message counters. Only the number of messages and the time
 * of the last one are kept, in memory; their content is not. Spec: What the service does, 4.
 */
export class ClusterPresence {
  unread = 0;
  unreadDirect = 0;
  /** Epoch seconds. */
  lastAt: number | null = null;
  /** When the held connection began, in epoch seconds. */
  joinedAt: number;
  private disconnect: (() => void) | undefined;
  private publishedMs = Number.NEGATIVE_INFINITY;
  private cancelTelling: (() => void) | undefined;

  constructor(private readonly parts: ClusterPresenceParts) {
    this.joinedAt = this.now();
  }

  /**
   * Joins the cluster, or replaces the connection by one with another handle or visibility. The new connection is made
   * before the old one ends, so that no member sees a handle leave that stays. The counters are reset when nothing was
   * held before.
   */
  take(cluster: Pick<ClusterRow, 'id' | 'visibility'>, handle: string, vis: Vis): void {
    if (!this.disconnect) {
      this.joinedAt = this.now();
      this.clear();
    }
    const leave = this.parts.hub.hold(cluster, { handle, did: null, vis, isOwner: false }, (isDirect) =>
      this.countMessage(isDirect),
    );
    this.disconnect?.();
    this.disconnect = leave;
  }

  /**
   * Leaves. The others are notified when the handle has no visible connection left. The counters are kept. Idempotent.
   */
  leave(): void {
    this.disconnect?.();
    this.disconnect = undefined;
    this.stop();
  }

  /** Resets the unread counters. Returns whether there were unread messages. */
  read(): boolean {
    const hadSome = this.unread > 0;
    this.unread = 0;
    this.unreadDirect = 0;
    return hadSome;
  }

  /** Cancels the pending notification. */
  stop(): void {
    this.cancelTelling?.();
    this.cancelTelling = undefined;
  }

  private clear(): void {
    this.read();
    this.lastAt = null;
  }

  private countMessage(isDirect: boolean): void {
    this.unread += 1;
    if (isDirect) this.unreadDirect += 1;
    this.lastAt = this.now();
    if (this.cancelTelling) return;
    const waitMs = this.publishedMs + TELL_EVERY_MS - this.parts.clock.elapsed();
    if (waitMs <= 0) this.notify();
    else this.cancelTelling = this.parts.clock.after(waitMs, () => this.notify());
  }

  private notify(): void {
    this.cancelTelling = undefined;
    this.publishedMs = this.parts.clock.elapsed();
    this.parts.changed();
  }

  private now(): number {
    return Math.floor(this.parts.clock.now() / 1000);
  }
}
