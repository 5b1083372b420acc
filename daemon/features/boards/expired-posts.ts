import { HISTORY_DAYS } from '../../contract/boards.js';
import type { Clock } from '../../lib/clock.js';
import type { BoardHistoryStore } from './board-history-store.js';
import type { BoardNews, BoardNewsItem } from './board-news.js';
import { isAgeGated } from './boards-door.js';
import type { BoardsClusters } from './boards-ports.js';
import type { BoardsStore } from './boards-store.js';
import { effectiveProps } from './effective-props.js';
import type { ExpiredPost, PostsStore } from './posts-store.js';

export interface ExpiredPostsParts {
  posts: PostsStore;
  boards: BoardsStore;
  clusters: BoardsClusters;
  history: BoardHistoryStore;
  news: BoardNews;
  clock: Clock;
}

const AT_ONCE = 500;
const HISTORY_SECONDS = HISTORY_DAYS * 86_400;
/** The longest wait between two looks, since the wall clock may be set. */
const LOOK_EVERY_MS = 3_600_000;

/**
 * Housekeeping: removes posts that have expired, with a line of history for each, and history that is older than 30 days. No read depends on it, since reads
 * go by the record and the time alone; it looks when the next post expires. Spec: Post › States.
 */
export class ExpiredPosts {
  private cancel: () => void = () => undefined;
  private due = Number.POSITIVE_INFINITY;
  private isStopped = false;

  constructor(private readonly parts: ExpiredPostsParts) {}

  /** Sweeps what has expired, and goes on doing so. */
  async start(): Promise<void> {
    try {
      await this.sweep();
    } catch {
      // What cannot be swept now (a full disk) is swept an hour later; no read has it meanwhile.
      return this.wake(Number.POSITIVE_INFINITY);
    }
    if (this.isStopped) return;
    this.wake(this.parts.posts.findNextExpiry() ?? Number.POSITIVE_INFINITY);
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  /** Told of a post that expires at `atSeconds`. */
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
        const item = this.newsOf(post);
        posts.remove(post.seq);
        news.record(item);
        return item;
      });
    });
    // One word for each board: what watchers do is read it again.
    for (const item of new Map(items.map((one) => [one.board.id, one])).values()) news.tell(item);
    return Math.max(pruned, items.length);
  }

  private newsOf({ id, title, cluster, board, slug, expires_at }: ExpiredPost): BoardNewsItem {
    const { boards, clusters } = this.parts;
    const props = effectiveProps(clusters.find(cluster)?.props ?? null, boards.find(cluster, board)?.props ?? null);
    const told = isAgeGated(props) ? {} : { title };
    return { event: 'post_expired', cluster, board: { id: board, slug }, post: id, ...told, ts: expires_at };
  }
}
