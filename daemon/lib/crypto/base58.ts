import { base58 } from '@scure/base';

/**
 * Enough for a transaction of 1,232 bytes, with a margin. Decoding takes time quadratic in the length, so longer texts
 * are not decoded; @scure/base itself would decode twice as much.
 */
const MAX_CHARS = 2_048;

/**
 * Base58 with the Bitcoin alphabet, as used for keys, signatures and instruction data. `bytes` is at most 2,048 bytes.
 */
export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/** Decodes base58. Returns undefined when `text` is not base58 or is longer than 2,048 characters. */
export function decodeBase58(text: string): Buffer | undefined {
  if (text.length > MAX_CHARS) return undefined;
  try {
    return Buffer.from(base58.decode(text));
  } catch {
    return undefined;
  }
}

/** Whether `text` is the base58 of exactly `length` bytes. */
export function isBase58OfLength(length: number, text: unknown): text is string {
  // Two base58 characters encode more than one byte: text longer than twice `length` cannot match and is not decoded.
  return typeof text === 'string' && text.length <= length * 2 && decodeBase58(text)?.length === length;
}
