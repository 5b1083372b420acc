import type { Cluster } from '../../contract/clusters.js';
import type { SavedCluster } from '../../contract/saved-clusters.js';
import type { ClusterPresence } from './cluster-presence.js';
import type { SavedClusterRecord } from './saved-clusters-store.js';
import type { SavedTokens } from './saved-tokens.js';

/** A saved cluster as the operator sees it: whether a token is saved, never its value. */
export function toSavedCluster(
  { handle, vis, held }: SavedClusterRecord,
  { id, name, slug, topic, visibility, boards_enabled, online }: Cluster,
  { joinedAt, unread, unreadDirect, lastAt }: Pick<ClusterPresence, 'joinedAt' | 'unread' | 'unreadDirect' | 'lastAt'>,
  { token, admin_token }: SavedTokens,
): SavedCluster {
  return {
    cluster_id: id,
    name,
    slug,
    topic,
    visibility,
    boards_enabled,
    online,
    handle,
    vis,
    held,
    joined_at: joinedAt,
    unread,
    unread_direct: unreadDirect,
    last_at: lastAt,
    member: token !== null,
    admin: admin_token !== null,
  };
}
