import type { TSchema } from 'typebox';
import {
  NETWORK_FRAME_BYTES_MAX,
  NETWORK_REQUEST_BYTES_MAX,
  NetworkFrame,
  NetworkRequest,
  NetworkSigned,
} from '../../../contract/shared/network-asks.js';
import { parseUntrustedJson } from '../../../http/untrusted-json.js';
import { isSignedBy, type SigningKey } from '../../../lib/crypto/ed25519.js';
import { hasForm } from '../../../shared-log/has-form.js';
import { toBase64 } from '../command-envelope.js';
import { toSignedText } from '../signed-text.js';

const LIMITS = { depth: 32, values: 20_000 };

export const askSubject = (network: string, daemon: string, member: string) => `m.${network}.ask.${daemon}.${member}`;

function sign(key: SigningKey, purpose: 'request' | 'answer', network: string, content: object): string {
  const text = JSON.stringify(content);
  const signed: NetworkSigned = { text, sig: key.sign(toSignedText(purpose, network, text)) };
  return JSON.stringify(signed);
}

export const signRequest = (key: SigningKey, network: string, request: NetworkRequest): string =>
  sign(key, 'request', network, request);

export const signFrame = (key: SigningKey, network: string, frame: NetworkFrame): string =>
  sign(key, 'answer', network, frame);

/** Returns the text that is signed, its signature, and what it says, if it has the form of `schema`. */
function parse(
  data: Uint8Array,
  bytesMax: number,
  schema: TSchema,
): (NetworkSigned & { content: unknown }) | undefined {
  if (data.length > bytesMax) return undefined;
  const signed = parseUntrustedJson(data, LIMITS);
  if (!hasForm(NetworkSigned, signed)) return undefined;
  const { text, sig } = signed as NetworkSigned;
  const content = parseUntrustedJson(Buffer.from(text), LIMITS);
  return hasForm(schema, content) ? { text, sig, content } : undefined;
}

/** Returns the request of a message when it has the right size and form and is signed by the key that it names. */
export function readRequest(network: string, data: Uint8Array): NetworkRequest | undefined {
  const parsed = parse(data, NETWORK_REQUEST_BYTES_MAX, NetworkRequest);
  if (!parsed) return undefined;
  const request = parsed.content as NetworkRequest;
  return isSignedBy(toBase64(request.key), toSignedText('request', network, parsed.text), parsed.sig)
    ? request
    : undefined;
}

/** Returns the frame of a message when it has the right size and form and is signed by `key` (base64url). */
export function readFrame(network: string, key: string, data: Uint8Array): NetworkFrame | undefined {
  const parsed = parse(data, NETWORK_FRAME_BYTES_MAX, NetworkFrame);
  if (!parsed || !isSignedBy(toBase64(key), toSignedText('answer', network, parsed.text), parsed.sig)) return undefined;
  return parsed.content as NetworkFrame;
}
