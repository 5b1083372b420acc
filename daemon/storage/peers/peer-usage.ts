import { statfsSync } from 'node:fs';
import { PEER_STORE_BYTES, PEER_STORE_REFILL_DAYS, PEERS_STORE_BYTES } from '../../contract/limits.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../database/database.js';

/** Stands for the uid of all other users together. */
export const ALL_PEERS = -2;
const REFILL_MS = PEER_STORE_REFILL_DAYS * 86_400_000;
const LOOK_AT_DISK_EVERY_MS = 1_000;

/** Returns how many bytes one other user, or all of them together, may use. */
export const getStoreBudget = (uid: number) => (uid === ALL_PEERS ? PEERS_STORE_BYTES : PEER_STORE_BYTES);

/**
 * Tracks how many bytes of the store the requests of each other user have caused: the measured growth, minus a
 * refill spread evenly over days. Rows that have expired since are not subtracted, because that would need an owner
 * in every row. A user can therefore cause more than its budget over weeks, but never more at a time, and the limit
 * of the whole store applies regardless of the refill. The usage is recorded with the transaction after the measured
 * one and persists across restarts.
 */
export class PeerUsage {
  private freeBytes = 0;
  private lookedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly folder: string,
    private readonly clock: Clock,
  ) {
    database.growth.record = () => this.record();
  }

  /** Returns the bytes of the store that count for `uid` at present. */
  bytesOf(uid: number): number {
    return Math.max(0, this.getRecorded(uid) + this.getUnrecorded(uid));
  }

  /** Returns the users whose requests count for something at present, most bytes first, at most `limit`. */
  list(limit: number): { uid: number; bytes: number }[] {
    const rows = this.database
      .sql('SELECT uid FROM peer_usage WHERE uid <> ? ORDER BY bytes DESC LIMIT ?')
      .all(ALL_PEERS, limit) as { uid: number }[];
    return rows
      .map(({ uid }) => ({ uid, bytes: Math.ceil(this.bytesOf(uid)) }))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => b.bytes - a.bytes);
  }

  /** Bytes of the store in use, caused by any user. */
  get storeBytes(): number {
    return this.database.growth.usedBytes;
  }

  /** Bytes of the disk that are free for programs of this user, at most one second old. */
  get diskFreeBytes(): number {
    const nowMs = this.clock.elapsed();
    if (nowMs - this.lookedMs >= LOOK_AT_DISK_EVERY_MS) {
      const { bavail, bsize } = statfsSync(this.folder);
      this.freeBytes = bavail * bsize;
      this.lookedMs = nowMs;
    }
    return this.freeBytes;
  }

  private getRecorded(uid: number): number {
    const row = this.database.sql('SELECT bytes, as_of_ms FROM peer_usage WHERE uid = ?').get(uid) as
      | { bytes: number; as_of_ms: number }
      | undefined;
    if (!row) return 0;
    const share = Math.max(0, this.clock.now() - row.as_of_ms) / REFILL_MS;
    return Math.max(0, row.bytes - share * getStoreBudget(uid));
  }

  private getUnrecorded(uid: number): number {
    const { unrecorded } = this.database.growth;
    if (uid !== ALL_PEERS) return unrecorded.get(uid) ?? 0;
    return [...unrecorded.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  private record(): void {
    for (const uid of [...this.database.growth.unrecorded.keys(), ALL_PEERS]) {
      const bytes = Math.ceil(this.bytesOf(uid));
      if (bytes === 0) this.database.sql('DELETE FROM peer_usage WHERE uid = ?').run(uid);
      else {
        this.database
          .sql('INSERT OR REPLACE INTO peer_usage (uid, bytes, as_of_ms) VALUES (?, ?, ?)')
          .run(uid, bytes, this.clock.now());
      }
    }
  }
}
