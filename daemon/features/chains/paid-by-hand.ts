import type { LedgerEntry, LedgerQuery, PaymentState } from '../../contract/payments.js';
import type { WalletTransfer, WalletTransferState, WalletTransfersStore } from './wallet-transfers-store.js';

const STATES: Readonly<Record<WalletTransferState, PaymentState>> = {
  signed: 'paid',
  sent: 'settled',
  refused: 'refused',
};

/**
 * Manual payments as entries of the ledger's spent side. They count neither towards the caps nor towards the spending
 * totals.
 */
export class PaidByHand {
  readonly side = 'spent';

  constructor(private readonly store: Pick<WalletTransfersStore, 'list'>) {}

  /** Lists entries, newest first, by time and then by id. */
  list({ state, mode, agent, q, since, before, limit }: HandPick): { createdMs: number; entry: LedgerEntry }[] {
    const wanted = (Object.keys(STATES) as WalletTransferState[]).find((one) => STATES[one] === state);
    if (mode !== undefined || (state !== undefined && wanted === undefined)) return [];
    const rows = this.store.list({ state: wanted, recipient: agent, q, since, before, limit });
    return rows.map((row) => ({ createdMs: row.created_ms, entry: toEntry(row) }));
  }
}

/** A query of the ledger. */
interface HandPick extends Omit<LedgerQuery, 'side' | 'limit' | 'cursor'> {
  before?: { createdMs: number; id: string };
  limit: number;
}

function toEntry({
  id,
  state,
  recipient,
  lamports,
  network,
  is_real,
  signature,
  created_ms,
  updated_ms,
}: WalletTransfer): LedgerEntry {
  return {
    id,
    side: 'spent',
    kind: 'transfer',
    state: STATES[state],
    mode: null,
    agent: recipient,
    skill: null,
    counterparty: recipient,
    amount_lamports: lamports,
    network,
    real: is_real === 1,
    nonce: null,
    signature,
    api_key_last4: null,
    reason: 'by_hand',
    latency_ms: null,
    created_at: Math.floor(created_ms / 1000),
    updated_at: Math.floor(updated_ms / 1000),
  };
}
