const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((character, value) => [character, BigInt(value)]));
/**
 * Of a transaction of 1,232 bytes, with room. Decoding takes as long as the square of the length, so that what is
 * longer is not looked at.
 */
const LONGEST = 2_048;

/** Base58 with the alphabet of Bitcoin, as keys, signatures and instruction data are written. */
export function base58(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => byte !== 0);
  const zeros = first === -1 ? bytes.length : first;
  let rest = zeros === bytes.length ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (rest > 0n) {
    text = ALPHABET[Number(rest % 58n)] + text;
    rest /= 58n;
  }
  return '1'.repeat(zeros) + text;
}

/** The bytes that `text` stands for, or undefined when it is no base58 or longer than 2,048 characters. */
export function bytesOfBase58(text: string): Buffer | undefined {
  if (text.length > LONGEST) return undefined;
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  let value = 0n;
  for (const character of text) {
    const digit = DIGITS.get(character);
    if (digit === undefined) return undefined;
    value = value * 58n + digit;
  }
  const hex = value === 0n ? '' : value.toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex')]);
}

/** Whether `text` is the base58 of exactly `length` bytes. */
export function isBase58Of(length: number, text: unknown): text is string {
  // Two characters hold more than a byte: what is longer than that is not decoded to find out.
  return typeof text === 'string' && text.length <= length * 2 && bytesOfBase58(text)?.length === length;
}
