import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { hasAcceptedForm } from './ed25519-form.js';

/** The fixed DER prefixes of an Ed25519 key before its 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

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
    return this.signBytes(Buffer.from(text)).toString('base64');
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
  if (!key || !sig || !hasAcceptedForm(key, sig)) return false;
  // Imported as a JWK: importing the same key from DER takes OpenSSL most of the time of a verification.
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') },
    format: 'jwk',
  });
  return verify(null, Buffer.from(text), publicKey, sig);
}
