import { base64 } from '@scure/base';
import nacl from 'tweetnacl';
import { hasAcceptedForm } from '../lib/crypto/ed25519-form.js';

/** Decodes canonical standard base64 of exactly `length` bytes. Returns undefined for any other text. */
function decode(text: string, length: number): Uint8Array | undefined {
  try {
    const bytes = base64.decode(text);
    return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether `signature` (standard base64) over the UTF-8 bytes of `text` was made by `pubkey` (standard base64 of 32
 * bytes). Rejects what the daemon rejects: keys of small order, non-canonical keys, signatures with a non-canonical S,
 * and non-canonical base64.
 */
export function verifyEd25519(pubkey: string, text: string, signature: string): boolean {
  const key = decode(pubkey, nacl.sign.publicKeyLength);
  const sig = decode(signature, nacl.sign.signatureLength);
  if (!key || !sig || !hasAcceptedForm(key, sig)) return false;
  return nacl.sign.detached.verify(new TextEncoder().encode(text), sig, key);
}

/** An Ed25519 key pair for signing. */
interface Ed25519Key {
  /** Standard base64 of the 32-byte public key. */
  readonly pubkey: string;
  /** Signs the UTF-8 bytes of `text`. Returns the 64-byte signature in standard base64. */
  sign(text: string): string;
}

/** Creates the key pair of a 32-byte private seed. Throws for a seed of another length. */
export function createEd25519Key(seed: Uint8Array): Ed25519Key {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed);
  return {
    pubkey: base64.encode(publicKey),
    sign: (text) => base64.encode(nacl.sign.detached(new TextEncoder().encode(text), secretKey)),
  };
}
