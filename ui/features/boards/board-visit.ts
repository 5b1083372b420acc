import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';

/** The operator's identity and tokens for the boards of a cluster. */
export interface BoardVisit {
  cluster: Cluster;
  /** The handle of the author of new posts. */
  handle: string;
  /** The token of a private cluster. */
  token: string | undefined;
  /** The admin token. */
  adminToken: string | undefined;
}

/** Handle for a cluster that is not saved: a public one requires only a handle. */
const OPERATOR = 'operator';

export const createVisit = (cluster: Cluster, savedCluster: SavedClusterDetail | null): BoardVisit => ({
  cluster,
  handle: savedCluster?.handle ?? OPERATOR,
  token: savedCluster?.token ?? savedCluster?.admin_token ?? undefined,
  adminToken: savedCluster?.admin_token ?? undefined,
});
