import type { CallMode, PaymentDeclaration, Topup } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';

/** The caller, and what it offers as payment. */
export interface Payer {
  /** The key of a valid `Mesh-Sig`, whether or not it is bound to an agent. */
  pubkey?: string;
  /** Network address of the caller. */
  address: string;
  /** Value of `X-Api-Key`. */
  apiKey?: string;
  /** Value of `X-Payment-Proof`. */
  proof?: string;
  /** Value of `X-Payment-Nonce`. */
  nonce?: string;
}

/** A call of a skill that has a price. */
export interface PricedCall {
  agent: string;
  skill: string;
  /** The rows of the card for this skill, one per network and tier. */
  prices: readonly PricingRow[];
  payment: PaymentDeclaration;
  /** The tier that the input names, if the rows have tiers. */
  tier?: string;
  /** SHA-256 of method, path and body. A repeat must have the same one. */
  requestSha256: string;
  payer: Payer;
}

/** The result of a skill. `status` is 200 unless the skill failed with a result of its own. */
export interface SkillResult {
  status: number;
  body: unknown;
}

export interface PaidResult extends SkillResult {
  mode: CallMode;
  /** True if this is an earlier result that is returned again without charge. */
  replayed: boolean;
  /** For example `X-Debited-Lamports`, `X-Balance-Remaining` and `X-Owed-Lamports`. */
  headers: Readonly<Record<string, string>>;
}

/**
 * Takes the price of a call from the free tier, the prepaid balance, post-pay or a proof. `run` is called at most once
 * per payment, and only after the debit, the debt or the spent nonce is durable. When `run` throws or the daemon
 * crashes, the call ends as failed and is refunded in the same journal. Throws `payment_required` (402, the body is the
 * challenge) or `nonce_spent` (402) when nothing that was offered pays, `proof_format` (400) for a proof of another
 * dialect, `unauthorized` for an unknown `X-Api-Key`.
 */
export interface PaymentPort {
  serve(call: PricedCall, run: (mode: CallMode) => Promise<SkillResult>): Promise<PaidResult>;
  /**
   * Opens a deposit key. With `key` it does so once: a repeat gets the same result with every secret set to null.
   * Throws `bad_request` below the minimum deposit and for an unknown network, `not_found` when the agent does not
   * accept deposits, `network_unavailable` while the network cannot be reached, `idempotency_mismatch`. Spec: Interface hosted
   * by each agent › `POST /v1/topup`.
   */
  topup(agent: string, payment: PaymentDeclaration, amountLamports: number, key?: IdempotencyKey): Promise<Topup>;
  /** Throws `unauthorized` for a key that this agent did not issue. */
  balance(agent: string, payment: PaymentDeclaration, apiKey: string): Promise<{ lamports: number }>;
  /** Whether the agent issued the nonce with a challenge that is still stored, spent or not. */
  isChallenge(agent: string, nonce: string): boolean;
}
