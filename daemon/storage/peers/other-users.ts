import type { OtherUsers } from '../../contract/system.js';
import { canIdentifyPeers } from './connection-table.js';
import { UNKNOWN_UID } from './peer-uid.js';
import { ALL_PEERS, getStoreBudget, type PeerUsage } from './peer-usage.js';

const USERS_MAX = 100;

/** Returns the other users of this machine whose requests count for something at present. */
export const listOtherUsers = (usage: Pick<PeerUsage, 'list' | 'bytesOf'>): OtherUsers => ({
  identified: canIdentifyPeers(),
  users: usage.list(USERS_MAX).map(({ uid, bytes }) => ({
    uid: uid === UNKNOWN_UID ? null : uid,
    store_bytes: bytes,
    store_bytes_max: getStoreBudget(uid),
  })),
  store_bytes: Math.ceil(usage.bytesOf(ALL_PEERS)),
  store_bytes_max: getStoreBudget(ALL_PEERS),
});
