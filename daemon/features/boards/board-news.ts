import type { BoardEvent } from '../../contract/boards.js';
import type { BoardFrame } from '../../contract/wall.js';
import type { Bus } from '../../events/bus.js';
import type { BoardHistoryStore } from './board-history-store.js';
import type { BoardsRooms } from './boards-ports.js';

/** One change of a board. */
export interface BoardNewsItem {
  event: BoardEvent['event'];
  cluster: string;
  /** Id and slug of the board. */
  board: { id: string; slug: string };
  post?: string;
  /** The post's title; not told of a board that only adults read, since whoever hears of it has not said that they are one. */
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

/** Tells what changed on boards: to the history inside the change's own transaction, then to sockets and watchers once it is durable. */
export class BoardNews {
  constructor(
    private readonly history: BoardHistoryStore,
    private readonly rooms: BoardsRooms,
    private readonly bus: Bus,
  ) {}

  /** To be called inside the write that makes the change. */
  record({ cluster, board, ...item }: BoardNewsItem): void {
    this.history.insert(cluster, { ...item, board: board.id, slug: board.slug });
  }

  /** To be called once the change is durable. Sends a `board` frame where there is one for it; publishes `board.changed`. */
  tell({ cluster, event, board, post, title }: BoardNewsItem): void {
    if (isFramed(event)) {
      const about = { ...(post !== undefined && { post }), ...(title !== undefined && { title }) };
      this.rooms.push(cluster, { kind: 'board', event, board: board.id, slug: board.slug, ...about });
    }
    this.bus.publish('board.changed', { cluster, board: board.id });
  }
}
