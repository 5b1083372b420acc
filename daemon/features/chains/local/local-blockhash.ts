import { createHmac, randomFillSync, timingSafeEqual } from 'node:crypto';
import { decodeBase58, encodeBase58 } from '../../../lib/crypto/base58.js';

export const SLOT_MS = 400;
/** Number of slots for which a blockhash is valid, as on the public networks. */
export const BLOCKHASH_SLOTS = 150;

const TIME_BYTES = 6;
const NAMED_BYTES = 16;
const HASH_BYTES = 32;

const computeSeal = (named: Uint8Array, key: Uint8Array) =>
  createHmac('sha256', key)
    .update(named)
    .digest()
    .subarray(0, HASH_BYTES - NAMED_BYTES);

/**
 * Issues a blockhash that contains its time and an HMAC, so that its validity can be checked without storing it. Each
 * one is unique, so that two equal transfers are two transactions.
 */
export function issueBlockhash(key: Uint8Array, nowMs: number): string {
  const named = Buffer.alloc(NAMED_BYTES);
  named.writeUIntBE(nowMs, 0, TIME_BYTES);
  randomFillSync(named, TIME_BYTES);
  return encodeBase58(Buffer.concat([named, computeSeal(named, key)]));
}

/** Reports whether `blockhash` was issued with `key` within the last minute. */
export function isBlockhashGood(blockhash: string, key: Uint8Array, nowMs: number): boolean {
  const bytes = decodeBase58(blockhash);
  if (bytes?.length !== HASH_BYTES) return false;
  const named = bytes.subarray(0, NAMED_BYTES);
  if (!timingSafeEqual(bytes.subarray(NAMED_BYTES), computeSeal(named, key))) return false;
  return nowMs - named.readUIntBE(0, TIME_BYTES) <= BLOCKHASH_SLOTS * SLOT_MS;
}
