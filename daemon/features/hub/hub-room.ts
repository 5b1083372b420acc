import { sha256Hex } from '../../lib/digests.js';

/** The room of two registrations, the same from either side; whoever registers one of the ids anew has another. */
export function roomOf(one: { rid: string }, other: { rid: string }): string {
  return `room-${sha256Hex([one.rid, other.rid].sort().join(' ')).slice(0, 20)}`;
}
