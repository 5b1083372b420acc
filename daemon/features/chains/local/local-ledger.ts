import type { NetworkName } from '../../../contract/payments.js';
import { toLocalNetworkName } from '../../../lib/agents/local-network-name.js';
import type { Database } from '../../../storage/database/database.js';

/** The initial parameters of the local network. */
export interface Genesis {
  hash: string;
  started_ms: number;
  blockhash_key: Buffer;
  faucet_seed: Buffer;
}

/** A transaction of the local network, successful or failed. */
export interface LedgerRow {
  seq: number;
  signature: string;
  slot: number;
  block_time: number;
  wire: Buffer;
  error: string | null;
  fee: number;
  minted: number;
  compute_units: number;
  pre_balances: string;
  post_balances: string;
  logs: string;
  memo: string | null;
}

interface Totals {
  minted: number;
  fees: number;
  held: number;
}

export interface Mentions {
  /** A signature; it and older transactions are excluded. */
  until?: string | undefined;
  /** A signature; it and newer transactions are excluded. */
  before?: string | undefined;
  limit: number;
}

/** Balances and transactions of the local network. Methods that write must be called inside a write transaction. */
export class LocalLedger {
  constructor(private readonly database: Database) {}

  write<T>(change: () => T): Promise<T> {
    return this.database.write(change);
  }

  findGenesis(): Genesis | undefined {
    return this.database.sql('SELECT hash, started_ms, blockhash_key, faucet_seed FROM chain_genesis').get() as
      | Genesis
      | undefined;
  }

  /** The name that other projects have for this network; undefined before it has begun. */
  findNetworkName(): NetworkName | undefined {
    return toLocalNetworkName(this.findGenesis()?.hash);
  }

  /** Stores the genesis unless one exists, and returns the stored one. */
  begin({ hash, started_ms, blockhash_key, faucet_seed }: Genesis): Genesis {
    this.database
      .sql(
        'INSERT OR IGNORE INTO chain_genesis (id, hash, started_ms, blockhash_key, faucet_seed) VALUES (1, ?, ?, ?, ?)',
      )
      .run(hash, started_ms, blockhash_key, faucet_seed);
    return this.findGenesis() as Genesis;
  }

  getLamports(address: string): number {
    const row = this.database.sql('SELECT lamports FROM chain_accounts WHERE address = ?').get(address) as
      | { lamports: number }
      | undefined;
    return row?.lamports ?? 0;
  }

  setLamports(address: string, lamports: number): void {
    if (lamports === 0) this.database.sql('DELETE FROM chain_accounts WHERE address = ?').run(address);
    else
      this.database
        .sql('INSERT OR REPLACE INTO chain_accounts (address, lamports) VALUES (?, ?)')
        .run(address, lamports);
  }

  find(signature: string): LedgerRow | undefined {
    return this.database.sql('SELECT * FROM chain_transactions WHERE signature = ?').get(signature) as
      | LedgerRow
      | undefined;
  }

  /** Lists the transactions that name `address`, newest first. */
  listTransactions(address: string, { until, before, limit }: Mentions): LedgerRow[] {
    const getSeq = (signature: string | undefined, otherwise: number) =>
      signature === undefined ? otherwise : (this.find(signature)?.seq ?? otherwise);
    return this.database
      .sql(
        `SELECT t.* FROM chain_mentions m JOIN chain_transactions t ON t.seq = m.seq
         WHERE m.address = ? AND m.seq > ? AND m.seq < ? ORDER BY m.seq DESC LIMIT ?`,
      )
      .all(address, getSeq(until, 0), getSeq(before, Number.MAX_SAFE_INTEGER), limit) as LedgerRow[];
  }

  /** Returns the newest slot and block time. Those of the next transaction are never lower, whatever the clock says. */
  newest(): { slot: number; block_time: number; count: number } {
    const row = this.database
      .sql('SELECT seq AS count, slot, block_time FROM chain_transactions ORDER BY seq DESC LIMIT 1')
      .get();
    return (
      (row as { slot: number; block_time: number; count: number } | undefined) ?? { slot: 0, block_time: 0, count: 0 }
    );
  }

  add(row: Omit<LedgerRow, 'seq'>, addresses: readonly string[]): LedgerRow {
    const { lastInsertRowid } = this.database
      .sql(
        `INSERT INTO chain_transactions
           (signature, slot, block_time, wire, error, fee, minted, compute_units, pre_balances, post_balances, logs, memo)
         VALUES (@signature, @slot, @block_time, @wire, @error, @fee, @minted, @compute_units, @pre_balances, @post_balances, @logs, @memo)`,
      )
      .run(row);
    const seq = Number(lastInsertRowid);
    for (const address of addresses)
      this.database.sql('INSERT INTO chain_mentions (address, seq) VALUES (?, ?)').run(address, seq);
    return { ...row, seq };
  }

  /** Returns what was ever minted and burned, and the sum of all balances. `minted` always equals `fees + held`. */
  totals(): Totals {
    return this.database
      .sql(
        `SELECT coalesce(sum(minted), 0) AS minted, coalesce(sum(fee), 0) AS fees,
           (SELECT coalesce(sum(lamports), 0) FROM chain_accounts) AS held FROM chain_transactions`,
      )
      .get() as Totals;
  }

  /** Returns what the faucet has minted so far. */
  minted(): number {
    const row = this.database
      .sql('SELECT coalesce(sum(minted), 0) AS minted FROM chain_transactions WHERE minted > 0')
      .get() as {
      minted: number;
    };
    return row.minted;
  }
}
