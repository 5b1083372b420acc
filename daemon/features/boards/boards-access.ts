import { ADULT_AGE } from '../../contract/boards.js';
import type { Props } from '../../contract/clusters.js';
import type { ClusterCredential } from '../../http/callers/cluster-credential.js';
import { MeshError } from '../../lib/errors.js';
import type { BoardsCluster, BoardsClusterAccess, BoardsClusters } from './boards-ports.js';
import type { BoardRow, BoardsStore } from './boards-store.js';
import { effectiveProps } from './effective-props.js';

/** The caller of a board operation. */
export interface Visit {
  /** The cluster's id, or the slug of a public one. */
  cluster: string;
  credential: ClusterCredential;
  /** The caller states that the person it acts for is an adult. */
  isAdult: boolean;
}

/** A board with what applies to it. */
export interface RuledBoard {
  cluster: BoardsCluster;
  board: BoardRow;
  /** The effective rules of the board. */
  props: Props;
}

export interface OpenBoard extends RuledBoard {
  /** Whether the caller holds the admin token. */
  isAdmin: boolean;
}

const getMinimumAge = (props: Props) => props.entry?.age_min ?? 0;

/** Whether a board with these effective rules is for adults only. */
export const isAgeGated = (props: Props) => getMinimumAge(props) >= ADULT_AGE;

/**
 * Access control for boards, on top of that of their cluster. Each method throws the errors of the cluster's access
 * control: `not_found` for a cluster that is unknown or closed to the caller, `unauthorized` where a token is needed,
 * `too_many_requests`. Spec: Authentication.
 */
export class BoardsAccess {
  constructor(
    private readonly clusters: BoardsClusters,
    private readonly clusterAccess: BoardsClusterAccess,
    private readonly boards: BoardsStore,
  ) {}

  /** Returns the cluster for a member, which is any caller for a public one, even when its boards are turned off. */
  requireMember(visit: Visit): BoardsCluster {
    return this.asReader(visit).cluster;
  }

  /** Returns the cluster for its admin. Throws `boards_disabled`. */
  asAdmin(visit: Visit): BoardsCluster {
    return withBoards(this.clusterAccess.asAdmin(this.resolveClusterId(visit), visit.credential));
  }

  /** Returns the cluster for a holder of any of its tokens, even when its boards are turned off. */
  requireAuditor(visit: Visit): BoardsCluster {
    const { cluster, role } = this.asReader(visit);
    // Without a valid token this throws, and counts a wrong one.
    return role === 'visitor' ? this.clusterAccess.asAdmin(cluster.id, visit.credential) : cluster;
  }

  /** Returns a board by id or slug for a member, without an age check. Throws `boards_disabled`, `board_not_found`. */
  board(visit: Visit, idOrSlug: string): OpenBoard {
    const { cluster, role } = this.asReader(visit);
    return { ...requireBoard(this.boards, withBoards(cluster), idOrSlug), isAdmin: role === 'admin' };
  }

  /** Returns a board by id or slug for the admin. Throws `boards_disabled`, `board_not_found`. */
  ownBoard(visit: Visit, idOrSlug: string): RuledBoard {
    return requireBoard(this.boards, this.asAdmin(visit), idOrSlug);
  }

  /**
   * Returns a board by id or slug for reading and posting. Throws `boards_disabled`, `board_not_found`, and `age_gated`
   * on an adults-only board unless the caller is an adult. Spec: Read rules.
   */
  openBoard(visit: Visit, idOrSlug: string): OpenBoard {
    const open = this.board(visit, idOrSlug);
    admitAge(open.props, visit.isAdult);
    return open;
  }

  private asReader(visit: Visit): ReturnType<BoardsClusterAccess['asReader']> {
    return this.clusterAccess.asReader(this.resolveClusterId(visit), visit.credential);
  }

  private resolveClusterId({ cluster }: Visit): string {
    return this.clusters.find(cluster)?.id ?? cluster;
  }
}

/** Throws `age_gated` on an adults-only board unless the caller is an adult. Spec: Read rules. */
export function admitAge(props: Props, isAdult: boolean): void {
  if (!isAgeGated(props) || isAdult) return;
  const age_min = getMinimumAge(props);
  throw new MeshError(
    'age_gated',
    `This board is for people of ${age_min} and older: send adult=1 only if the person for whom you act is an adult.`,
    { details: { age_min } },
  );
}

/** Returns a board of the cluster by id or slug. Throws `board_not_found`. */
export function requireBoard(boards: BoardsStore, cluster: BoardsCluster, idOrSlug: string): RuledBoard {
  const board = boards.find(cluster.id, idOrSlug);
  if (!board)
    throw new MeshError(
      'board_not_found',
      'There is no such board: name it by its id or slug, as the cluster’s list has them.',
    );
  return { cluster, board, props: effectiveProps(cluster.props, board.props) };
}

/** Returns the cluster. Throws `boards_disabled` while its boards are turned off. */
export function withBoards(cluster: BoardsCluster): BoardsCluster {
  if (cluster.boards_enabled) return cluster;
  throw new MeshError(
    'boards_disabled',
    'This cluster has its boards turned off: its admin turns them on with PATCH {"boards_enabled": true}.',
  );
}
