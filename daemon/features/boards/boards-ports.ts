import type { BoardFrame } from '../../contract/wall.js';
import type { ClusterDoor } from '../clusters/cluster-door.js';
import type { Clusters } from '../clusters/clusters.js';
import type { ClusterRow } from '../clusters/clusters-store.js';

/** A cluster as far as its boards go. */
export type BoardsCluster = Pick<ClusterRow, 'id' | 'visibility' | 'boards_enabled' | 'props'>;

/** Clusters by their id, or the slug of a public one. */
export type BoardsClusters = Pick<Clusters, 'find'>;

/** Who may do what with a cluster. */
export type BoardsClusterDoor = Pick<ClusterDoor, 'asReader' | 'asAdmin'>;

/** The open sockets of clusters, which are told of changes. */
export interface BoardsRooms {
  push(clusterId: string, frame: BoardFrame): void;
}
