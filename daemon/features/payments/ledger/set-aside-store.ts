import type { Database } from '../../../storage/database/database.js';

/** Maximum number for each address. */
const KEPT_MAX = 50;
/** Maximum number that one scan tries again. */
const DUE_MAX = 10;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * The transactions to an address that its network lists and does not return. They are tried again each minute for an
 * hour, and then each hour, until the network returns them. Methods that write must be called inside a write transaction.
 */
export class SetAsideStore {
  constructor(private readonly database: Database) {}

  /** Returns how many more of an address may be set aside. */
  countFree(network: string, address: string): number {
    const { count } = this.database
      .sql('SELECT count(*) AS count FROM till_set_aside WHERE network = ? AND address = ?')
      .get(network, address) as { count: number };
    return KEPT_MAX - count;
  }

  has(network: string, address: string, signature: string): boolean {
    return (
      this.database
        .sql('SELECT 1 FROM till_set_aside WHERE network = ? AND address = ? AND signature = ?')
        .get(network, address, signature) !== undefined
    );
  }

  add(network: string, address: string, signature: string, nowMs: number): void {
    this.database
      .sql('INSERT INTO till_set_aside (network, address, signature, since_ms, tried_ms) VALUES (?, ?, ?, ?, ?)')
      .run(network, address, signature, nowMs, nowMs);
  }

  /** Lists the signatures that are to be tried again, at most ten, those first that were tried longest ago. */
  listDue(network: string, address: string, nowMs: number): string[] {
    return this.database
      .sql(
        `SELECT signature FROM till_set_aside
         WHERE network = ? AND address = ? AND tried_ms + iif(? - since_ms < ${HOUR_MS}, ${MINUTE_MS}, ${HOUR_MS}) <= ?
         ORDER BY tried_ms, signature LIMIT ${DUE_MAX}`,
      )
      .all(network, address, nowMs, nowMs)
      .map((row) => (row as { signature: string }).signature);
  }

  noteTried(network: string, address: string, signature: string, nowMs: number): void {
    this.database
      .sql('UPDATE till_set_aside SET tried_ms = ? WHERE network = ? AND address = ? AND signature = ?')
      .run(nowMs, network, address, signature);
  }

  remove(network: string, address: string, signature: string): void {
    this.database
      .sql('DELETE FROM till_set_aside WHERE network = ? AND address = ? AND signature = ?')
      .run(network, address, signature);
  }
}
