import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { SEAT } from './seat-fields.js';

/** Represents an unsaved public cluster in the form of a saved one. */
export const visitorOf = ({ id, name, slug, topic, visibility, boards_enabled, online }: Cluster): RoomDetail => ({
  cluster_id: id,
  name,
  slug,
  topic,
  visibility,
  boards_enabled,
  online,
  ...SEAT,
  joined_at: 0,
  unread: 0,
  unread_direct: 0,
  last_at: null,
  member: false,
  admin: false,
  token: null,
  admin_token: null,
});
