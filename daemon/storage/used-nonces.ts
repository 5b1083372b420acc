import { SIGNATURE_WINDOW_SECONDS } from '../contract/reputation.js';
import type { Database } from './database.js';

/**
 * How long a nonce is kept beyond the window in which its signature is good. A clock that was set forward and back again makes old signatures good
 * again, so they are kept for longer than a clock is wrong by a day.
 */
const KEPT_SECONDS = 48 * 3600;

/** Nonces of signed requests, each good once for its key, over restarts too. Those that no signature could carry any more are forgotten. */
export class UsedNonces {
  constructor(private readonly database: Database) {}

  /**
   * Marks `nonce` of `pubkey` as used and says whether it was new. Durable before it resolves; of two requests with one nonce exactly one gets true.
   * `nowMs` and the signature's `ts` (epoch seconds) say when it may be forgotten.
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
