import { ADULT_AGE } from '../../contract/boards.js';
import type { Props } from '../../contract/clusters.js';
import { MeshError } from '../../lib/errors.js';
import type { BoardsCluster, BoardsClusterDoor, BoardsClusters } from './boards-ports.js';
import type { BoardRow, BoardsStore } from './boards-store.js';
import { effectiveProps } from './effective-props.js';

/** Who calls about the boards of a cluster. */
export interface Visit {
  /** The cluster's id, or the slug of a public one. */
  cluster: string;
  credential: string | undefined;
  /** They say that they are an adult, or that the person is for whom they act. */
  isAdult: boolean;
}

export interface OpenBoard {
  cluster: BoardsCluster;
  board: BoardRow;
  /** The rules in force on it. */
  props: Props;
  /** The visitor holds the admin token. */
  isAdmin: boolean;
}

/** Whether a board with these effective rules is for adults only. */
export const isAgeGated = (props: Props) => (props.entry?.age_min ?? 0) >= ADULT_AGE;

/**
 * Who may do what about boards, on top of who may do what with their cluster. Each method throws what the cluster's own door throws: `not_found` for one that
 * is unknown or closed to the visitor, `unauthorized` where a token is needed, `too_many_requests`. Spec: Authentication.
 */
export class BoardsDoor {
  constructor(
    private readonly clusters: BoardsClusters,
    private readonly door: BoardsClusterDoor,
    private readonly boards: BoardsStore,
  ) {}

  /** The cluster for a member: anybody at a public one. Throws `boards_disabled`. */
  asMember(visit: Visit): BoardsCluster {
    return withBoards(this.asReader(visit).cluster);
  }

  /** The cluster for its admin. Throws `boards_disabled`. */
  asAdmin(visit: Visit): BoardsCluster {
    return withBoards(this.door.asAdmin(this.idOf(visit), visit.credential));
  }

  /** The cluster, boards or not, for a holder of any of its tokens. */
  asAuditor(visit: Visit): BoardsCluster {
    const { cluster, role } = this.asReader(visit);
    // Without a right token this throws, and counts a wrong one.
    return role === 'visitor' ? this.door.asAdmin(cluster.id, visit.credential) : cluster;
  }

  /** A board by its id or slug for a member, whatever their age. Throws `boards_disabled`, `board_not_found`. */
  board(visit: Visit, idOrSlug: string): OpenBoard {
    const { cluster, role } = this.asReader(visit);
    return { ...this.boardOf(withBoards(cluster), idOrSlug), isAdmin: role === 'admin' };
  }

  /** The same for its admin. Throws `boards_disabled`, `board_not_found`. */
  ownBoard(visit: Visit, idOrSlug: string): OpenBoard {
    return { ...this.boardOf(this.asAdmin(visit), idOrSlug), isAdmin: true };
  }

  /** The same for reading and posting. Throws `boards_disabled`, `board_not_found`, `age_gated` unless the visitor is an adult. Spec: Read rules. */
  openBoard(visit: Visit, idOrSlug: string): OpenBoard {
    const open = this.board(visit, idOrSlug);
    if (isAgeGated(open.props) && !visit.isAdult) {
      const age_min = open.props.entry?.age_min;
      throw new MeshError(
        'age_gated',
        `This board is for people of ${age_min} and older: send adult=1 only if the person for whom you act is an adult.`,
        { details: { age_min } },
      );
    }
    return open;
  }

  private asReader(visit: Visit): ReturnType<BoardsClusterDoor['asReader']> {
    return this.door.asReader(this.idOf(visit), visit.credential);
  }

  private idOf({ cluster }: Visit): string {
    return this.clusters.find(cluster)?.id ?? cluster;
  }

  private boardOf(cluster: BoardsCluster, idOrSlug: string): Omit<OpenBoard, 'isAdmin'> {
    const board = this.boards.find(cluster.id, idOrSlug);
    if (!board)
      throw new MeshError(
        'board_not_found',
        'There is no such board: name it by its id or slug, as the cluster’s list has them.',
      );
    return { cluster, board, props: effectiveProps(cluster.props, board.props) };
  }
}

function withBoards(cluster: BoardsCluster): BoardsCluster {
  if (cluster.boards_enabled) return cluster;
  throw new MeshError(
    'boards_disabled',
    'This cluster has its boards turned off: its admin turns them on with PATCH {"boards_enabled": true}.',
  );
}
