import { PEER_MESSAGE_BYTES_MAX, PeerMessage } from '../../../contract/shared/peer-frames.js';
import { parseUntrustedJson } from '../../../http/untrusted-json.js';
import { isSignedBy, type SigningKey } from '../../../lib/crypto/ed25519.js';
import { hasForm } from '../../../shared-log/has-form.js';
import type { DropReason } from '../../../shared-log/shared-frames.js';
import { toBase64 } from '../command-envelope.js';
import { toSignedText } from '../signed-text.js';

const SIGNATURE_BYTES = 64;
/** The message, its greeting, what the daemon shows, the cards, a card, and its price. */
const DEPTH_MAX = 6;

/** Returns the bytes to publish on the subject. */
export function sealMessage(key: SigningKey, subject: string, message: PeerMessage): Buffer {
  const text = JSON.stringify(message);
  const bytes = Buffer.allocUnsafe(SIGNATURE_BYTES + Buffer.byteLength(text));
  key.signBytes(Buffer.from(toSignedText('frames', subject, text))).copy(bytes);
  bytes.write(text, SIGNATURE_BYTES);
  return bytes;
}

/** Returns the message that the holder of `key` (base64url) signed for the subject, or why there is none. */
export function openMessage(key: string, subject: string, data: Uint8Array): PeerMessage | DropReason {
  if (data.length > PEER_MESSAGE_BYTES_MAX) return 'size';
  if (data.length <= SIGNATURE_BYTES) return 'form';
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const text = bytes.toString('utf8', SIGNATURE_BYTES);
  const signature = bytes.toString('base64', 0, SIGNATURE_BYTES);
  if (!isSignedBy(toBase64(key), toSignedText('frames', subject, text), signature)) return 'signature';
  const message = parseUntrustedJson(bytes.subarray(SIGNATURE_BYTES), { depth: DEPTH_MAX });
  return hasForm(PeerMessage, message) ? (message as PeerMessage) : 'form';
}
