import { SIGNATURE_WINDOW_SECONDS } from '../../contract/network/reputation.js';
import type { Database } from './database.js';

/**
 * How long a nonce is kept beyond the validity window of its signature. A clock that is set forward and back again
 * makes old signatures valid again, so nonces are kept long enough for a clock that is wrong by a day.
 */
const KEPT_SECONDS = 48 * 3600;

/**
 * Nonces of signed requests. Each is valid once per key, also across restarts. Nonces that no valid signature can
 * contain any more are removed.
 */
export class UsedNonces {
  constructor(private readonly database: Database) {}

  /**
   * Marks `nonce` of `pubkey` as used and returns whether it was new. Durable before it resolves; of two
   * concurrent requests with one nonce exactly one gets true. `nowMs` and the signature's `ts` (epoch seconds)
   * determine when it may be removed.
   */
  use(pubkey: string, nonce: string, ts: number, nowMs: number): Promise<boolean> {
    return this.database.write(() => {
      this.database
        .sql('DELETE FROM used_nonces WHERE rowid IN (SELECT rowid FROM used_nonces WHERE forget_after < ? LIMIT 100)')
        .run(Math.floor(nowMs / 1000));
      const { changes } = this.database
        .sql('INSERT OR IGNORE INTO used_nonces (pubkey, nonce, forget_after) VALUES (?, ?, ?)')
        .run(pubkey, nonce, Math.max(ts, Math.floor(nowMs / 1000)) + SIGNATURE_WINDOW_SECONDS + KEPT_SECONDS);
      return changes === 1;
    });
  }
}
