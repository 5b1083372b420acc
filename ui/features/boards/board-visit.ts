import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';

/** As whom the operator comes to the boards of a cluster. */
export interface BoardVisit {
  cluster: Cluster;
  /** The handle under which posts are pinned, and by which their author is known. */
  handle: string;
  /** What opens a private cluster. */
  token: string | undefined;
  /** What administers it. */
  adminToken: string | undefined;
}

/** Who posts where no room is kept: a public cluster asks for no more than a handle. */
const OPERATOR = 'operator';

export const visitOf = (cluster: Cluster, room: RoomDetail | null): BoardVisit => ({
  cluster,
  handle: room?.handle ?? OPERATOR,
  token: room?.token ?? room?.admin_token ?? undefined,
  adminToken: room?.admin_token ?? undefined,
});
