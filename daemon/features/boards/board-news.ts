import type { BoardEvent } from '../../contract/boards.js';
import type { BoardFrame } from '../../contract/wall.js';
import type { Bus } from '../../events/bus.js';
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

/** Tells sockets and event subscribers about changes on boards. */
export class BoardNews {
  constructor(
    private readonly clusters: BoardsHub,
    private readonly bus: Bus,
  ) {}

  /**
   * Must be called once the change is durable. Sends a `board` frame for events that have one, and
   * publishes `board.changed`.
   */
  publish({ cluster, event, board, post, title }: BoardNewsItem): void {
    if (isFramed(event)) {
      this.clusters.push(cluster, { kind: 'board', event, board: board.id, slug: board.slug, post, title });
    }
    this.bus.publish('board.changed', { cluster, board: board.id });
  }
}
