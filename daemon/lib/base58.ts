import { base58 } from '@scure/base';

/**
 * Of a transaction of 1,232 bytes, with room. Decoding takes as long as the square of the length, so that what is
 * longer is not looked at; @scure/base itself would decode twice as much.
 */
const MAX_CHARS = 2_048;

/** Base58 with the alphabet of Bitcoin, as keys, signatures and instruction data are written. Of at most 2,048 bytes. */
export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/** The bytes that `text` stands for, or undefined when it is no base58 or longer than 2,048 characters. */
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
  // Two characters hold more than a byte: what is longer than that is not decoded to find out.
  return typeof text === 'string' && text.length <= length * 2 && decodeBase58(text)?.length === length;
}
