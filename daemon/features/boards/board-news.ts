import type { BoardEvent } from '../../contract/boards.js';
import type { BoardFrame } from '../../contract/wall.js';
import type { Bus } from '../../events/bus.js';
import type { BoardHistoryStore } from './board-history-store.js';
import type { BoardsHub } from './boards-ports.js';

/** One change on a board. */
export interface BoardNewsItem {
  event: BoardEvent['event'];
  cluster: string;
  /** Id and slug of the board. */
  board: { id: string; slug: string };
  post?: string;
  /** The post's title. Absent for adults-only boards, since recipients have not confirmed that they are adults. */
  title?: string;
  /** Epoch seconds. */
  ts: number;
}

const FRAMES: ReadonlySet<string> = new Set<BoardFrame['event']>([
  'post_created',
  'post_deleted',
  'board_created',
  'board_deleted',
]);
const isFramed = (event: BoardEvent['event']): event is BoardFrame['event'] => FRAMES.has(event);

/**
 * Publishes changes on boards: to the history within the transaction of the change, then to sockets and event
 * subscribers once it is durable.
 */
export class BoardNews {
  constructor(
    private readonly history: BoardHistoryStore,
    private readonly clusters: BoardsHub,
    private readonly bus: Bus,
  ) {}

  /** Must be called inside the transaction that makes the change. */
  record({ cluster, board, ...item }: BoardNewsItem): void {
    this.history.insert(cluster, { ...item, board: board.id, slug: board.slug });
  }

  /**
   * Must be called once the change is durable. Sends a `board` frame for events that have one, and
   * publishes `board.changed`.
   */
  tell({ cluster, event, board, post, title }: BoardNewsItem): void {
    if (isFramed(event)) {
      const about = { ...(post !== undefined && { post }), ...(title !== undefined && { title }) };
      this.clusters.push(cluster, { kind: 'board', event, board: board.id, slug: board.slug, ...about });
    }
    this.bus.publish('board.changed', { cluster, board: board.id });
  }
}
