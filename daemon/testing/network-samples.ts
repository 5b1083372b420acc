import { toBase64Url } from '../features/network/command-envelope.js';
import { SigningKey } from '../lib/crypto/ed25519.js';

export const newKey = () => new SigningKey(SigningKey.newSeed());
/** The id of a daemon with the key, until another key is bound to it. */
export const idOf = (key: SigningKey) => toBase64Url(key.pubkey);
/** What a member answered, as the network carries it. */
export const SAMPLE_ANSWER = { result_text: 'Port 8123.', citations: [], client: 'builtin', model: 'none' };
