import type { CallMode, PaymentDeclaration, Topup } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import type { IdempotencyKey } from '../../storage/idempotency.js';

/** Who calls, and what is offered for the call. */
export interface Payer {
  /** Key of a valid `Mesh-Sig`, bound to an agent or not. */
  pubkey?: string;
  /** Network address of the caller. */
  address: string;
  /** `X-Api-Key`. */
  apiKey?: string;
  /** `X-Payment-Proof`. */
  proof?: string;
  /** `X-Payment-Nonce`. */
  nonce?: string;
}

/** A call of a skill that has a price. */
export interface PricedCall {
  agent: string;
  skill: string;
  /** Rows of the card that are about this skill, one per network and tier. */
  prices: readonly PricingRow[];
  payment: PaymentDeclaration;
  /** The tier that the input names, when the rows have tiers. */
  tier?: string;
  /** SHA-256 of method, path and body: a replay must ask for the same. */
  requestSha256: string;
  payer: Payer;
}

/** What a skill answered. `status` is 200 unless it failed in a way that is an answer. */
export interface SkillResult {
  status: number;
  body: unknown;
}

export interface PaidResult extends SkillResult {
  mode: CallMode;
  /** True when the result was made before and is repeated free of charge. */
  replayed: boolean;
  /** `X-Debited-Lamports`, `X-Balance-Remaining`, `X-Owed-Lamports` and the like. */
  headers: Readonly<Record<string, string>>;
}

/**
 * Lets a priced call through the cascade: free tier, prepaid balance, post-pay, proof. `run` is called at most once for what was paid, and only after
 * the debit, the debt or the spent nonce is durable; when it throws, or the daemon dies, the call ends as failed and is refunded in the same journal.
 * Throws `payment_required` (402, the body is the challenge) or `nonce_spent` (402) when nothing that was offered does, `proof_format` (400) for a
 * proof of another dialect, `unauthorized` for an unknown `X-Api-Key`.
 */
export interface TillPort {
  serve(call: PricedCall, run: (mode: CallMode) => Promise<SkillResult>): Promise<PaidResult>;
  /**
   * Opens a deposit key; with `key`, once: a repeat is answered with every secret in it null. Throws `bad_request` below the least deposit and for a
   * network that is not there, `not_found` when the agent takes no deposits, `overloaded` while the network cannot be reached, `idempotency_mismatch`.
   * Spec: Interface hosted by each agent › `POST /v1/topup`.
   */
  topup(agent: string, payment: PaymentDeclaration, amountLamports: number, key?: IdempotencyKey): Promise<Topup>;
  /** Throws `unauthorized` for a key that this agent does not know. */
  balance(agent: string, payment: PaymentDeclaration, apiKey: string): Promise<{ lamports: number }>;
}
