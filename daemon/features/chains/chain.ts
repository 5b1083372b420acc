import type { NetworkName } from '../../contract/payments.js';

/** A transfer of lamports at the top level of a transaction. */
export interface Transfer {
  from: string;
  to: string;
  lamports: bigint;
}

/** A confirmed transaction as reported by the chain. */
export interface ChainTransaction {
  signature: string;
  /** True if it failed. Failed transactions are on the chain too. */
  failed: boolean;
  /** Epoch seconds; null if the network does not report it. */
  blockTime: number | null;
  transfers: readonly Transfer[];
  /** Memos at the top level, in order. */
  memos: readonly string[];
  /** The change of the balance of each account. */
  balanceChanges: ReadonlyMap<string, bigint>;
}

/** A transaction in the listing of an address. */
export interface SeenTransaction {
  signature: string;
  slot: number;
  failed: boolean;
  memo: string | null;
}

/** The key of a wallet; it is different from the identity key. */
export interface WalletKey {
  address: string;
  /** 32-byte Ed25519 seed. */
  seed: Uint8Array;
}

/**
 * A network. Every method throws `network_unavailable` when the network cannot be reached. Amounts are lamports and are never
 * rounded.
 */
export interface Chain {
  readonly network: NetworkName;
  /** CAIP-2 id. */
  readonly caip2: string;
  /** True if its lamports have value. */
  readonly real: boolean;
  getBalance(address: string): Promise<bigint>;
  /**
   * Throws `insufficient_funds`, with the way to fill the wallet, when it holds less than a transfer and its fee. Absent
   * where only the transfer itself shows it.
   */
  requireFunds?(from: WalletKey, lamports: bigint): Promise<void>;
  /**
   * Returns a transaction; undefined while it is not visible as confirmed. Throws `proof_format` for a malformed
   * signature, and for a transaction that names its accounts through lookup tables.
   */
  find(signature: string): Promise<ChainTransaction | undefined>;
  /**
   * Lists the transactions of `address` after `until` and before `before`, newest first, at most 1,000. A server that
   * does not know `until` may answer with all of them. Throws `network_unavailable` when the network, or the server
   * that answers, has not reached the slot `minSlot`.
   */
  listTransactions(
    address: string,
    until?: string,
    before?: string,
    minSlot?: number,
  ): Promise<readonly SeenTransaction[]>;
  /**
   * Signs a transfer with at most one memo. Nothing is sent, so the caller can record the signature first and never
   * pays twice.
   */
  sign(from: WalletKey, to: string, lamports: bigint, memo?: string): Promise<SignedTransfer>;
  /**
   * Sends a transfer and waits until it is confirmed. Sending the same transfer again is safe. Throws `bad_request`
   * when the chain refuses it, with the `reason` in its details: `expired` and `failed` (it is on the chain as failed)
   * can never execute later and may be signed anew; `refused` means that this call did not submit it: an earlier one may
   * have. `isRecipientBelowRent` in the details says that the recipient would hold less than an account must hold.
   * Throws `deadline` when its outcome is not known yet: send the same transfer again later.
   */
  send(transfer: SignedTransfer): Promise<void>;
}

export interface SignedTransfer {
  signature: string;
  /** The serialized transaction, base64. */
  wire: string;
}

/** The configured networks. `get` throws `bad_request` for a network that is unknown or not configured. */
export interface Chains {
  get(network: string): Promise<Chain>;
  list(): readonly NetworkName[];
}
