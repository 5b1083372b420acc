import type { Database } from '../../../storage/database/database.js';

/** What a transaction was spent on. An `unmatched` one can still be claimed by a proof. */
type SpentOn = 'proof' | 'deposit' | 'debt' | 'unmatched';

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
  findAddress(network: string, address: string): { seen: string | null; wanted_ms: number } | undefined {
    return this.database
      .sql('SELECT seen, wanted_ms FROM till_addresses WHERE network = ? AND address = ?')
      .get(network, address) as { seen: string | null; wanted_ms: number } | undefined;
  }

  putAddress(network: string, address: string, seen: string | null, nowMs: number): void {
    this.database
      .sql(
        `INSERT INTO till_addresses (network, address, seen, wanted_ms) VALUES (?, ?, ?, ?)
         ON CONFLICT (network, address) DO UPDATE SET seen = excluded.seen`,
      )
      .run(network, address, seen, nowMs);
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
