import type { Network } from '../../contract/payments.js';

/** A transfer of lamports at the top level of a transaction. */
export interface Transfer {
  from: string;
  to: string;
  lamports: bigint;
}

/** What the chain says about a transaction that is confirmed. */
export interface ChainTransaction {
  signature: string;
  /** Whether it was carried out; a failed one is on the chain too. */
  failed: boolean;
  /** Epoch seconds; null when the network does not say. */
  blockTime: number | null;
  transfers: readonly Transfer[];
  /** Memos at the top level, in order. */
  memos: readonly string[];
  /** By how much the balance of each account changed. */
  balanceChanges: ReadonlyMap<string, bigint>;
}

/** A row of what came to an address, newest first. */
export interface SeenTransaction {
  signature: string;
  failed: boolean;
  memo: string | null;
}

/** A wallet's own key; the identity key is another one. */
export interface WalletKey {
  address: string;
  /** 32-byte Ed25519 seed. */
  seed: Uint8Array;
}

/**
 * One network, whichever it is. Every method throws `overloaded` when the network cannot be reached. Amounts are lamports; nothing is rounded.
 */
export interface Chain {
  readonly network: Network;
  /** CAIP-2 id. */
  readonly caip2: string;
  /** Whether its lamports are worth something. */
  readonly real: boolean;
  balanceOf(address: string): Promise<bigint>;
  /**
   * Undefined while it is not visible as confirmed. Throws `proof_format` for what is no signature of this network, and for a transaction that names
   * its accounts through lookup tables.
   */
  find(signature: string): Promise<ChainTransaction | undefined>;
  /** What came to `address` after `until` and before `before`, newest first, at most 1,000. */
  listOf(address: string, until?: string, before?: string): Promise<readonly SeenTransaction[]>;
  /**
   * Signs a transfer with at most one memo. Nothing is sent: its signature can be written down first, so that a payment is never made twice.
   */
  sign(from: WalletKey, to: string, lamports: bigint, memo?: string): Promise<SignedTransfer>;
  /**
   * Sends it and waits until it is confirmed. Sending the same one again is harmless. Throws `bad_request` when the chain refuses it, with the
   * `reason` in its details: `expired` and `failed` (it is on the chain as failed) can never be carried out any more and may be signed anew; `refused`
   * was not taken as things stand. Throws `deadline` when it is not known yet how it ended: send the same one again later.
   */
  send(transfer: SignedTransfer): Promise<void>;
}

export interface SignedTransfer {
  signature: string;
  /** The transaction as it goes over the wire, base64. */
  wire: string;
}

/** The networks that this daemon knows. Throws `bad_request` for one that is unknown or not configured. */
export interface Chains {
  get(network: string): Promise<Chain>;
  list(): readonly Network[];
}
