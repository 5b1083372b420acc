import type { NetworkName } from '../../contract/payments.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';

/** `signed`: in progress, or interrupted by the end of the daemon. `refused`: will never execute. */
export type WalletTransferState = 'signed' | 'sent' | 'refused';

/** A manual payment. */
export interface WalletTransfer {
  seq: number;
  /** The id of its ledger entry. */
  id: string;
  scope: string | null;
  key: string | null;
  body_sha256: string | null;
  wallet: string;
  network: NetworkName;
  recipient: string;
  lamports: number;
  is_real: 0 | 1;
  signature: string;
  wire: string;
  state: WalletTransferState;
  created_ms: number;
  updated_ms: number;
}

/** A query of manual payments. `since` is epoch seconds; `before` is the position after which the page starts. */
interface TransfersPick {
  state?: WalletTransferState | undefined;
  recipient?: string | undefined;
  since?: number | undefined;
  q?: string | undefined;
  before?: { createdMs: number; id: string } | undefined;
  limit: number;
}

/** Manual payments. Each is recorded before it is sent. Writes resolve once they are durable. */
export class WalletTransfersStore {
  constructor(private readonly database: Database) {}

  findByKey(scope: string, key: string): WalletTransfer | undefined {
    return this.database.sql('SELECT * FROM wallet_transfers WHERE scope = ? AND key = ?').get(scope, key) as
      | WalletTransfer
      | undefined;
  }

  /** Lists the payments whose outcome is unknown, oldest first. */
  unsettled(): WalletTransfer[] {
    return this.database
      .sql("SELECT * FROM wallet_transfers WHERE state = 'signed' ORDER BY seq")
      .all() as WalletTransfer[];
  }

  /** Lists payments, newest first, by time and then by id. */
  list({ state, since, q, recipient, before, limit }: TransfersPick): WalletTransfer[] {
    const { where, values } = new Conditions()
      .and('state = ?', state)
      .and('recipient = ?', recipient)
      .and('created_ms >= ?', since === undefined ? undefined : since * 1000)
      .andContains(['recipient', 'signature', 'id'], q)
      .and('(created_ms < ? OR (created_ms = ? AND id < ?))', before?.createdMs, before?.createdMs, before?.id);
    const sql = `SELECT * FROM wallet_transfers ${where} ORDER BY created_ms DESC, id DESC LIMIT ?`;
    return this.database.sql(sql).all(...values, limit) as WalletTransfer[];
  }

  /** Records a signed transfer. It replaces a refused one with the same idempotency key. */
  async add(transfer: Omit<WalletTransfer, 'seq' | 'state' | 'updated_ms'>): Promise<WalletTransfer> {
    return this.database.write(() => {
      const { scope, key } = transfer;
      this.database
        .sql("DELETE FROM wallet_transfers WHERE scope = ? AND key = ? AND state = 'refused'")
        .run(scope, key);
      const { lastInsertRowid } = this.database
        .sql(
          `INSERT INTO wallet_transfers
             (id, scope, key, body_sha256, wallet, network, recipient, lamports, is_real, signature, wire, state, created_ms, updated_ms)
           VALUES
             (@id, @scope, @key, @body_sha256, @wallet, @network, @recipient, @lamports, @is_real, @signature, @wire, 'signed', @created_ms, @created_ms)`,
        )
        .run(transfer);
      return { ...transfer, seq: Number(lastInsertRowid), state: 'signed', updated_ms: transfer.created_ms };
    });
  }

  async settle(seq: number, state: 'sent' | 'refused', nowMs: number): Promise<void> {
    await this.database.write(() =>
      this.database.sql('UPDATE wallet_transfers SET state = ?, updated_ms = ? WHERE seq = ?').run(state, nowMs, seq),
    );
  }
}
