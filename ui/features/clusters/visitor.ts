import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { DEFAULT_MEMBERSHIP } from './membership-fields.js';

/** Represents an unsaved public cluster in the form of a saved one. */
export const toVisitorDetail = ({ id, description, props, created_at, ...shown }: Cluster): SavedClusterDetail => ({
  cluster_id: id,
  ...shown,
  ...DEFAULT_MEMBERSHIP,
  joined_at: 0,
  unread: 0,
  unread_direct: 0,
  last_at: null,
  member: false,
  admin: false,
  token: null,
  admin_token: null,
});
