import type { Network } from '../../contract/payments.js';
import type { Database } from '../../storage/database.js';

/** `signed` is on its way, or was when the daemon ended; `refused` will never be carried out. */
export type WalletTransferState = 'signed' | 'sent' | 'refused';

/** A payment by hand. */
export interface WalletTransfer {
  seq: number;
  scope: string | null;
  key: string | null;
  body_sha256: string | null;
  wallet: string;
  network: Network;
  recipient: string;
  lamports: number;
  memo: string | null;
  signature: string;
  wire: string;
  state: WalletTransferState;
  created_ms: number;
}

/** Payments by hand, each written down before it is sent. Writes resolve once they are durable. */
export class WalletTransfersStore {
  constructor(private readonly database: Database) {}

  findByKey(scope: string, key: string): WalletTransfer | undefined {
    return this.database.sql('SELECT * FROM wallet_transfers WHERE scope = ? AND key = ?').get(scope, key) as WalletTransfer | undefined;
  }

  /** Those of which it is not known how they ended, oldest first. */
  unsettled(): WalletTransfer[] {
    return this.database.sql("SELECT * FROM wallet_transfers WHERE state = 'signed' ORDER BY seq").all() as WalletTransfer[];
  }

  /** Newest first. */
  list(limit: number): WalletTransfer[] {
    return this.database.sql('SELECT * FROM wallet_transfers ORDER BY seq DESC LIMIT ?').all(limit) as WalletTransfer[];
  }

  /** Writes a signed transfer down; one under the same key that was refused makes room for it. */
  async add(transfer: Omit<WalletTransfer, 'seq' | 'state'>): Promise<WalletTransfer> {
    return this.database.write(() => {
      const { scope, key } = transfer;
      this.database.sql("DELETE FROM wallet_transfers WHERE scope = ? AND key = ? AND state = 'refused'").run(scope, key);
      const { lastInsertRowid } = this.database
        .sql(
          `INSERT INTO wallet_transfers
             (scope, key, body_sha256, wallet, network, recipient, lamports, memo, signature, wire, state, created_ms)
           VALUES (@scope, @key, @body_sha256, @wallet, @network, @recipient, @lamports, @memo, @signature, @wire, 'signed', @created_ms)`,
        )
        .run(transfer);
      return { ...transfer, seq: Number(lastInsertRowid), state: 'signed' };
    });
  }

  async settle(seq: number, state: 'sent' | 'refused'): Promise<void> {
    await this.database.write(() => this.database.sql('UPDATE wallet_transfers SET state = ? WHERE seq = ?').run(state, seq));
  }
}
