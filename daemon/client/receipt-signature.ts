import type { Receipt } from '../contract/asks.js';
import { jcs } from '../lib/crypto/jcs.js';
import { isObject } from '../lib/is-object.js';
import { verifyEd25519 } from './ed25519.js';
import { findDifferences, type SignedFields } from './receipt-differences.js';

/** The result of a check without the daemon. */
export interface SignatureCheck {
  valid: boolean;
  /** Why it is not valid; empty when it is. */
  reasons: string[];
}

/**
 * All text fields of a receipt. The only others are `v` and the optional `price`. A field that is added to the contract
 * is a compile error here until it is listed.
 */
const TEXTS: Readonly<Record<Exclude<keyof Receipt, 'v' | 'price'>, true>> = {
  request_id: true,
  member: true,
  member_sha256: true,
  question_sha256: true,
  answer_sha256: true,
  client: true,
  model: true,
  created_at: true,
  finished_at: true,
  citations_sha256: true,
  pubkey: true,
  sig: true,
};

function isReceipt(value: unknown): value is Receipt {
  if (!isObject(value) || value['v'] !== 1) return false;
  if (Object.keys(TEXTS).some((name) => typeof value[name] !== 'string')) return false;
  if (value['price'] !== undefined && !isObject(value['price'])) return false;
  return Object.keys(value).every((name) => Object.hasOwn(TEXTS, name) || name === 'v' || name === 'price');
}

/**
 * Verifies a receipt without a daemon or the network: its shape, and its Ed25519 signature over the canonical JSON (RFC
 * 8785) of all other fields. Given the record of the request, it also compares that record with the signed fields. Does
 * not determine whose key signed.
 */
export async function verifyReceiptSignature(receipt: unknown, record: SignedFields = {}): Promise<SignatureCheck> {
  if (!isReceipt(receipt)) return { valid: false, reasons: ['Not a receipt of version 1.'] };
  const { sig, ...signed } = receipt;
  if (!verifyEd25519(receipt.pubkey, jcs(signed), sig))
    return { valid: false, reasons: ['The signature does not match the fields of the receipt.'] };
  const reasons = await findDifferences(receipt, record);
  return { valid: reasons.length === 0, reasons };
}
