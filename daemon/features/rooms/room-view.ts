import type { Cluster } from '../../contract/clusters.js';
import type { Room } from '../../contract/rooms.js';
import type { RoomSeat } from './room-seat.js';
import type { RoomTokens } from './room-tokens.js';
import type { KeptRoom } from './rooms-store.js';

/** A saved cluster as the operator sees it: whether a token is saved, never its value. */
export function roomView(
  { handle, vis, held }: KeptRoom,
  { id, name, slug, topic, visibility, boards_enabled, online }: Cluster,
  { joinedAt, unread, unreadDirect, lastAt }: Pick<RoomSeat, 'joinedAt' | 'unread' | 'unreadDirect' | 'lastAt'>,
  { token, admin_token }: RoomTokens,
): Room {
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
