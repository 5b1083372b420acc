import { sha256Hex } from '../../lib/crypto/digests.js';

/**
 * The id of the direct thread of two registrations. It is symmetric, and changes when either id is registered again.
 */
export function getDirectThreadId(one: { rid: string }, other: { rid: string }): string {
  return `room-${sha256Hex([one.rid, other.rid].sort().join(' ')).slice(0, 20)}`;
}
