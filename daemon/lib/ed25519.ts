import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';

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

/** The fixed DER prefixes of an Ed25519 key before its 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

/**
 * Decodes standard base64 of exactly `length` bytes, or returns undefined. Padding, alphabet and unused bits must be
 * canonical.
 */
function decodeBase64(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined;
}

/** An Ed25519 key pair for signing. The seed is its only secret. */
export class SigningKey {
  readonly pubkey: string;
  private readonly key: KeyObject;

  /** `seed` is the 32-byte private seed. */
  constructor(seed: Uint8Array) {
    this.key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.key).export({ format: 'der', type: 'spki' });
    this.pubkey = spki.subarray(SPKI_PREFIX.length).toString('base64');
  }

  /** A new random 32-byte seed. */
  static newSeed(): Buffer {
    const { privateKey } = generateKeyPairSync('ed25519');
    return privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8_PREFIX.length);
  }

  /** Signs the UTF-8 bytes of `text`. Returns the 64-byte signature in standard base64. */
  sign(text: string): string {
    return this.signBytes(Buffer.from(text, 'utf8')).toString('base64');
  }

  /** Signs `bytes`. Returns the 64-byte signature. */
  signBytes(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.key);
  }
}

/**
 * Whether `signature` (standard base64) over the UTF-8 bytes of `text` was made by `pubkey` (standard base64 of 32
 * bytes). Rejects keys of small order, non-canonical keys, signatures with a non-canonical S, and non-canonical base64.
 */
export function isSignedBy(pubkey: string, text: string, signature: string): boolean {
  const key = decodeBase64(pubkey, 32);
  const sig = decodeBase64(signature, 64);
  if (!key || !sig) return false;
  const y = littleEndian(key) & (2n ** 255n - 1n);
  if (y >= P || SMALL_ORDER_Y.has(y)) return false;
  if (littleEndian(sig.subarray(32)) >= L) return false;
  // Imported as a JWK: importing the same key from DER takes OpenSSL most of the time of a verification.
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') },
    format: 'jwk',
  });
  return verify(null, Buffer.from(text, 'utf8'), publicKey, sig);
}
