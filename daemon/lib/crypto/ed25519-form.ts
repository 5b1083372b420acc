/** The order of the prime-order subgroup. The S of a canonical signature is below it. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
/** The prime of the field. The y of a canonical key is below it. */
const P = 2n ** 255n - 19n;

/** The y coordinates of the points of order 1, 2, 4 and 8. A signature under such a key proves nothing. */
const SMALL_ORDER_Y = new Set([
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
]);

/** Reads the 32 bytes from `start` as a little-endian number. */
function readLittleEndian(bytes: Uint8Array, start: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, 32);
  let value = 0n;
  for (const offset of [24, 16, 8, 0]) value = (value << 64n) | view.getBigUint64(offset, true);
  return value;
}

/**
 * Whether an Ed25519 key (32 bytes) and a signature (64 bytes) have the accepted form: the key is not of small order,
 * its y is canonical, and the signature's S is canonical. Libraries differ in which of these they check. Pure, because
 * the client library uses it as well.
 */
export function hasAcceptedForm(pubkey: Uint8Array, signature: Uint8Array): boolean {
  const y = readLittleEndian(pubkey, 0) & (2n ** 255n - 1n);
  return y < P && !SMALL_ORDER_Y.has(y) && readLittleEndian(signature, 32) < L;
}
