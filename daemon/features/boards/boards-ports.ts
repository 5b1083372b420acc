import type { BoardFrame } from '../../contract/wall.js';
import type { ClusterAccess } from '../clusters/cluster-access.js';
import type { Clusters } from '../clusters/clusters.js';
import type { ClusterRow } from '../clusters/clusters-store.js';

/** The fields of a cluster that boards need. */
export type BoardsCluster = Pick<ClusterRow, 'id' | 'visibility' | 'boards_enabled' | 'props'>;

/** Looks up clusters: with `find` by id or the slug of a public one, with `require` by id. */
export type BoardsClusters = Pick<Clusters, 'find' | 'require'>;

/** Access control of clusters. */
export type BoardsClusterAccess = Pick<ClusterAccess, 'asReader' | 'asAdmin'>;

/** The live clusters, whose sockets are notified of changes. */
export interface BoardsHub {
  push(clusterId: string, frame: BoardFrame): void;
}
