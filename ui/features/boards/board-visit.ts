import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';

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

export const visitOf = (cluster: Cluster, room: RoomDetail | null): BoardVisit => ({
  cluster,
  handle: room?.handle ?? OPERATOR,
  token: room?.token ?? room?.admin_token ?? undefined,
  adminToken: room?.admin_token ?? undefined,
});
