import type { Database } from '../../../storage/database/database.js';

/** What a transaction was spent on. An `unmatched` one can still be claimed by a proof. */
type SpentOn = 'proof' | 'deposit' | 'debt' | 'unmatched';

export interface WatchedAddress {
  /** The signature of the last transaction that was scanned; null when there was none. */
  seen: string | null;
  /** Its slot; null when an earlier version scanned it. */
  seen_slot: number | null;
  wanted_ms: number;
}

/**
 * The recorded transactions, what they paid for, and the scan position of each address. Methods that write must be
 * called inside a write transaction.
 */
export class SeenStore {
  constructor(private readonly database: Database) {}

  /**
   * Returns what a transaction was spent on. For one that paid several addresses, a row that is not `unmatched` takes
   * precedence.
   */
  findSpent(network: string, signature: string): { address: string; spent_on: SpentOn; payment: string } | undefined {
    return this.database
      .sql(
        'SELECT address, spent_on, payment FROM till_signatures WHERE network = ? AND signature = ? ORDER BY ' +
          "spent_on = 'unmatched' LIMIT 1",
      )
      .get(network, signature) as { address: string; spent_on: SpentOn; payment: string } | undefined;
  }

  /** Returns the payment that records what a transaction transferred to an address. */
  find(network: string, signature: string, address: string): { spent_on: SpentOn; payment: string } | undefined {
    return this.database
      .sql('SELECT spent_on, payment FROM till_signatures WHERE network = ? AND signature = ? AND address = ?')
      .get(network, signature, address) as { spent_on: SpentOn; payment: string } | undefined;
  }

  /**
   * Marks what a transaction transferred to an address as spent. Throws when it is already spent: a transaction pays
   * for one thing only.
   */
  spend(network: string, signature: string, address: string, spentOn: SpentOn, payment: string): void {
    const { changes } = this.database
      .sql(
        `INSERT INTO till_signatures (network, signature, address, spent_on, payment) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (network, signature, address) DO UPDATE SET spent_on = excluded.spent_on, payment = excluded.payment
         WHERE till_signatures.spent_on = 'unmatched'`,
      )
      .run(network, signature, address, spentOn, payment);
    if (changes !== 1) throw new Error('A transaction was about to be spent twice.');
  }

  /** Returns the scan position of an address; undefined when it is not watched. */
  findAddress(network: string, address: string): WatchedAddress | undefined {
    return this.database
      .sql('SELECT seen, seen_slot, wanted_ms FROM till_addresses WHERE network = ? AND address = ?')
      .get(network, address) as WatchedAddress | undefined;
  }

  /** Watches an address from `seen` on, or moves the position of a watched one, which never goes to a lower slot. */
  putAddress(
    network: string,
    address: string,
    seen: { signature: string; slot: number } | undefined,
    nowMs: number,
  ): void {
    this.database
      .sql(
        `INSERT INTO till_addresses (network, address, seen, seen_slot, wanted_ms) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (network, address) DO UPDATE SET seen = excluded.seen, seen_slot = excluded.seen_slot
         WHERE till_addresses.seen_slot IS NULL OR excluded.seen_slot >= till_addresses.seen_slot`,
      )
      .run(network, address, seen?.signature ?? null, seen?.slot ?? null, nowMs);
  }

  /** Records that money is expected at an address. */
  wantAddress(network: string, address: string, nowMs: number): void {
    this.database
      .sql('UPDATE till_addresses SET wanted_ms = ? WHERE network = ? AND address = ?')
      .run(nowMs, network, address);
  }

  /** Lists the addresses at which money has been expected since `sinceMs`, latest first. */
  listAddresses(sinceMs: number, limit: number): { network: string; address: string }[] {
    return this.database
      .sql('SELECT network, address FROM till_addresses WHERE wanted_ms >= ? ORDER BY wanted_ms DESC LIMIT ?')
      .all(sinceMs, limit) as { network: string; address: string }[];
  }
}
