import type { Clock } from '../../lib/time/clock.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { ExpiredSome } from './board-commands.js';
import type { PostsStore } from './posts-store.js';

interface ExpiredPostsParts {
  log: SharedLog;
  posts: PostsStore;
  clock: Clock;
}

/** Maximum wait between two runs, since the wall clock may be changed. */
const LOOK_EVERY_MS = 3_600_000;

/**
 * Deletes expired posts, adding a history event for each, and history older than 30 days. Reads do not depend on it,
 * since they compare expiry with the current time. It runs when the next post expires. Spec: Post › States.
 */
export class ExpiredPosts {
  private cancel: () => void = () => undefined;
  private due = Number.POSITIVE_INFINITY;
  private isStopped = false;

  constructor(private readonly parts: ExpiredPostsParts) {}

  /** Deletes what has expired and schedules the next run. */
  async start(): Promise<void> {
    let next = Number.POSITIVE_INFINITY;
    try {
      await this.sweep();
      next = this.parts.posts.findNextExpiry();
    } catch {
      // A failed run, for example because of a full disk, is retried after an hour. Reads already exclude these posts.
    }
    this.wake(next);
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  /** Schedules a run for a post that expires at `atSeconds`. */
  expect(atSeconds: number): void {
    if (atSeconds < this.due) this.wake(atSeconds);
  }

  private wake(atSeconds: number): void {
    this.cancel();
    if (this.isStopped) return;
    this.due = atSeconds;
    const waitMs = Math.min(LOOK_EVERY_MS, Math.max(0, atSeconds * 1000 - this.parts.clock.now()));
    this.cancel = this.parts.clock.after(waitMs, () => void this.start());
  }

  private async sweep(): Promise<void> {
    let isMore = true;
    while (isMore || this.isDue) ({ isMore } = await this.parts.log.submit<ExpiredSome>('post.expire', 'expired', {}));
  }

  /** Whether a post expired after the command that deletes was made. */
  private get isDue(): boolean {
    const { posts, clock } = this.parts;
    return posts.findNextExpiry() * 1000 <= clock.now();
  }
}
