import { base64urlnopad } from '@scure/base';
import { createEd25519Key } from './ed25519.js';
import { sha256 } from './sha256.js';

/** A request in the form that is signed. */
export interface RequestToSign {
  method: string;
  /** The path with its query, as sent. */
  path: string;
  /** The raw body; empty when there is none. */
  body: string;
}

/** Signs requests with one key. */
export interface RequestSigner {
  /** Standard base64 of the public key. */
  readonly pubkey: string;
  /**
   * Returns the `Mesh-Sig` header of `request` with the current time and a new nonce. It is valid for one call, within
   * two minutes.
   */
  header(request: RequestToSign): Promise<string>;
}

/**
 * Creates a signer from a 32-byte private seed, such as `crypto.getRandomValues(new Uint8Array(32))`. Throws for a seed
 * of another length.
 */
export function createRequestSigner(seed: Uint8Array): RequestSigner {
  const key = createEd25519Key(seed);
  return {
    pubkey: key.pubkey,
    async header({ method, path, body }) {
      // Epoch seconds. The daemon accepts a difference of SIGNATURE_WINDOW_SECONDS (contract) from its clock.
      const ts = Math.floor(Date.now() / 1000);
      const nonce = base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(16)));
      const signed = ['v1', method, path, await sha256(body), ts, nonce].join('\n');
      return `v1 ${key.pubkey} ${ts} ${nonce} ${key.sign(signed)}`;
    },
  };
}
