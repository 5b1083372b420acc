import type { Database } from '../../storage/database.js';

/** What a transaction was spent on; `unmatched` may still be claimed by a proof. */
export type SpentOn = 'proof' | 'deposit' | 'debt' | 'unmatched';

/** Transactions that were seen and what they paid for, and how far each address was looked through. What writes is to be called inside a write transaction. */
export class SeenStore {
  constructor(private readonly database: Database) {}

  /** What a transaction was spent on; of one that came to several addresses, what it counts for. */
  findSpent(network: string, signature: string): { address: string; spent_on: SpentOn; payment: string } | undefined {
    return this.database
      .sql(
        `SELECT address, spent_on, payment FROM till_signatures WHERE network = ? AND signature = ? ORDER BY spent_on = 'unmatched' LIMIT 1`,
      )
      .get(network, signature) as { address: string; spent_on: SpentOn; payment: string } | undefined;
  }

  /** The payment that stands for what a transaction brought to an address. */
  find(network: string, signature: string, address: string): { spent_on: SpentOn; payment: string } | undefined {
    return this.database
      .sql('SELECT spent_on, payment FROM till_signatures WHERE network = ? AND signature = ? AND address = ?')
      .get(network, signature, address) as { spent_on: SpentOn; payment: string } | undefined;
  }

  /** Marks what a transaction brought to an address as spent. Throws when it was spent already: a transaction pays for one thing. */
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

  /** Where the look through an address stands; undefined when it was never wanted. */
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

  /** Notes that money is expected at an address. */
  wantAddress(network: string, address: string, nowMs: number): void {
    this.database
      .sql('UPDATE till_addresses SET wanted_ms = ? WHERE network = ? AND address = ?')
      .run(nowMs, network, address);
  }

  /** Addresses at which money is expected since `sinceMs`, the latest first. */
  listAddresses(sinceMs: number, limit: number): { network: string; address: string }[] {
    return this.database
      .sql('SELECT network, address FROM till_addresses WHERE wanted_ms >= ? ORDER BY wanted_ms DESC LIMIT ?')
      .all(sinceMs, limit) as { network: string; address: string }[];
  }
}
