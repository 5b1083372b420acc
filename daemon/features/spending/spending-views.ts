import { APPROVAL_SECONDS, type Approval, type Call, type LedgerEntry } from '../../contract/payments.js';
import type { CallRow } from './calls-store.js';
import type { SpentRow } from './spent-store.js';

const seconds = (ms: number) => Math.floor(ms / 1000);

/** Converts a call to its wire format. In lists, the result and the bureau's response are left out. */
export function toCall(row: CallRow, isWhole = true): Call {
  const { call_id, state, agent, agent_url, skill, mode, amount_lamports, network, payment_id, signature, latency_ms } =
    row;
  return {
    call_id,
    state,
    agent: row.agent_id ?? agent,
    agent_url,
    skill,
    mode,
    amount_lamports,
    network,
    real: row.is_real,
    payment_id,
    signature,
    latency_ms,
    ...(isWhole && state === 'done' ? { result: row.result } : {}),
    ...(isWhole && row.reputation_filed !== null ? { reputation_filed: row.reputation_filed } : {}),
    ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? '' } }),
    ...(state === 'waiting' && row.reason !== null ? { reason: row.reason } : {}),
    created_at: seconds(row.created_ms),
    finished_at: row.finished_ms === null ? null : seconds(row.finished_ms),
  };
}

/** Returns when a waiting call expires, in epoch milliseconds. */
export const approvalEnds = (row: Pick<CallRow, 'waiting_ms' | 'created_ms'>) =>
  (row.waiting_ms ?? row.created_ms) + APPROVAL_SECONDS * 1000;

export function toApproval(row: CallRow): Approval {
  const { call_id, agent, agent_id, skill, wanted, reason } = row;
  return {
    call_id,
    agent: agent_id ?? agent,
    skill,
    amount_lamports: wanted?.amount ?? 0,
    network: wanted?.network ?? '',
    real: wanted?.is_real ?? false,
    address: wanted?.address ?? '',
    reason: reason ?? '',
    created_at: seconds(row.waiting_ms ?? row.created_ms),
    expires_at: seconds(approvalEnds(row)),
  };
}

/**
 * Converts a payment to a ledger entry. The memo of a top-up is its key, so only the last four characters are shown.
 */
export function toLedgerEntry(row: SpentRow): LedgerEntry {
  return {
    id: row.payment_id,
    side: 'spent',
    kind: row.kind,
    state: row.state,
    mode: row.mode,
    agent: row.agent,
    skill: row.skill,
    counterparty: row.address,
    amount_lamports: row.amount_lamports,
    network: row.network,
    real: row.is_real,
    nonce: row.nonce,
    signature: row.signature,
    api_key_last4: row.api_key_last4,
    reason: row.reason,
    latency_ms: row.latency_ms,
    created_at: seconds(row.created_ms),
    updated_at: seconds(row.updated_ms),
  };
}
