import { encodeBase58 } from '../../lib/crypto/base58.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import type { WalletKey } from './chain.js';

/** Returns the wallet key of a 32-byte `seed`. */
export function walletKey(seed: Uint8Array): WalletKey {
  return { address: encodeBase58(Buffer.from(new SigningKey(seed).pubkey, 'base64')), seed };
}
