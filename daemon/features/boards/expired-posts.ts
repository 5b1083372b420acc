import { HISTORY_DAYS } from '../../contract/boards.js';
import type { Clock } from '../../lib/time/clock.js';
import type { BoardHistoryStore } from './board-history-store.js';
import type { BoardNews, BoardNewsItem } from './board-news.js';
import { isAgeGated } from './boards-door.js';
import type { BoardsClusters } from './boards-ports.js';
import type { BoardsStore } from './boards-store.js';
import { effectiveProps } from './effective-props.js';
import type { ExpiredPost, PostsStore } from './posts-store.js';

interface ExpiredPostsParts {
  posts: PostsStore;
  boards: BoardsStore;
  clusters: BoardsClusters;
  history: BoardHistoryStore;
  news: BoardNews;
  clock: Clock;
}

const AT_ONCE = 500;
const HISTORY_SECONDS = HISTORY_DAYS * 86_400;
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
    try {
      await this.sweep();
    } catch {
      // A failed run, for example because of a full disk, is retried after an hour. Reads already exclude these posts.
      return this.wake(Number.POSITIVE_INFINITY);
    }
    if (this.isStopped) return;
    this.wake(this.parts.posts.findNextExpiry() ?? Number.POSITIVE_INFINITY);
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
    this.cancel = this.parts.clock.after(waitMs, () => {
      this.due = Number.POSITIVE_INFINITY;
      void this.start();
    });
  }

  private async sweep(): Promise<void> {
    while ((await this.sweepSome()) === AT_ONCE);
  }

  private async sweepSome(): Promise<number> {
    const { posts, history, news, clock } = this.parts;
    let pruned = 0;
    const items = await posts.write(() => {
      const now = Math.floor(clock.now() / 1000);
      pruned = history.prune(now - HISTORY_SECONDS, AT_ONCE);
      return posts.listExpired(now, AT_ONCE).map((post) => {
        const item = this.createNewsItem(post);
        posts.remove(post.seq);
        news.record(item);
        return item;
      });
    });
    // One notification per board is enough, since subscribers reload the board.
    for (const item of new Map(items.map((one) => [one.board.id, one])).values()) news.tell(item);
    return Math.max(pruned, items.length);
  }

  private createNewsItem({ id, title, cluster, board, slug, expires_at }: ExpiredPost): BoardNewsItem {
    const { boards, clusters } = this.parts;
    const props = effectiveProps(clusters.find(cluster)?.props ?? null, boards.find(cluster, board)?.props ?? null);
    const told = isAgeGated(props) ? {} : { title };
    return { event: 'post_expired', cluster, board: { id: board, slug }, post: id, ...told, ts: expires_at };
  }
}
