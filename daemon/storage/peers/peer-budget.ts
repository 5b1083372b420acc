import {
  PEER_STORE_REFILL_DAYS,
  PEER_WRITES_BURST,
  PEER_WRITES_PER_SECOND,
  PEERS_DISK_RESERVE_BYTES,
  PEERS_STORE_CEILING_BYTES,
} from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { ALL_PEERS, getStoreBudget, type PeerUsage } from './peer-usage.js';

/** Users whose rate is kept. After two idle seconds a user's allowance is full again. */
const REMEMBERED = 1_000;
const MIB = 1024 * 1024;
const mib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

interface Rate {
  left: number;
  sinceMs: number;
}

/**
 * Limits what other users of this machine may store: the request rate of each, and the bytes of each and of all
 * together. The operator and root are never counted.
 */
export class PeerBudget {
  private readonly rates = new Map<number, Rate>();
  /** Bytes of requests in progress, by uid. */
  private readonly reserved = new Map<number, number>();

  constructor(
    private readonly usage: Pick<PeerUsage, 'bytesOf' | 'storeBytes' | 'diskFreeBytes'>,
    private readonly clock: Clock,
  ) {}

  /** Counts one request that may store something. Throws `too_many_requests`. */
  count(uid: number): void {
    const nowMs = this.clock.elapsed();
    const { left, sinceMs } = this.rates.get(uid) ?? { left: PEER_WRITES_BURST, sinceMs: nowMs };
    const refilled = Math.min(PEER_WRITES_BURST, left + ((nowMs - sinceMs) / 1000) * PEER_WRITES_PER_SECOND);
    if (refilled < 1) {
      throw new MeshError(
        'too_many_requests',
        `Programs of another user than the daemon's send at most ${PEER_WRITES_PER_SECOND} requests a second ` +
          `that may store something (${PEER_WRITES_BURST} at once), all of them together: send this one later.`,
        { details: { retry_after: (1 - refilled) / PEER_WRITES_PER_SECOND } },
      );
    }
    // Inserted again at the end, so that the first key is the user idle for longest.
    this.rates.delete(uid);
    this.rates.set(uid, { left: refilled - 1, sinceMs: nowMs });
    const [oldest] = this.rates.keys();
    if (this.rates.size > REMEMBERED && oldest !== undefined) this.rates.delete(oldest);
  }

  /** Reserves `bytes` for a request until the returned function is called. Throws `no_space` when they do not fit. */
  reserve(uid: number, bytes: number): () => void {
    for (const whose of [uid, ALL_PEERS]) this.requireBudget(whose, bytes);
    const { storeBytes, diskFreeBytes } = this.usage;
    if (storeBytes + bytes > PEERS_STORE_CEILING_BYTES || diskFreeBytes - bytes < PEERS_DISK_RESERVE_BYTES) {
      throw new MeshError(
        'no_space',
        `Other users store nothing more while the store is larger than ${mib(PEERS_STORE_CEILING_BYTES)} or ` +
          `the disk has less than ${mib(PEERS_DISK_RESERVE_BYTES)} left: delete what is not needed any more, or ` +
          "ask the daemon's user for room.",
      );
    }
    this.add(uid, bytes);
    return () => this.add(uid, -bytes);
  }

  private requireBudget(whose: number, bytes: number): void {
    const limit = getStoreBudget(whose);
    const used = this.usage.bytesOf(whose) + (this.reserved.get(whose) ?? 0);
    const over = used + bytes - limit;
    if (over <= 0) return;
    const who = whose === ALL_PEERS ? 'All users but the daemon’s together' : 'Programs of one user but the daemon’s';
    throw new MeshError(
      'no_space',
      `${who} may take up ${mib(limit)} of the store, and ${mib(used)} are taken: delete what is not needed ` +
        `any more, or wait; a full budget is whole again after ${PEER_STORE_REFILL_DAYS} days.`,
      { details: { limit_bytes: limit, retry_after: (over / limit) * PEER_STORE_REFILL_DAYS * 86_400 } },
    );
  }

  private add(uid: number, bytes: number): void {
    for (const whose of [uid, ALL_PEERS]) {
      const sum = (this.reserved.get(whose) ?? 0) + bytes;
      if (sum === 0) this.reserved.delete(whose);
      else this.reserved.set(whose, sum);
    }
  }
}
