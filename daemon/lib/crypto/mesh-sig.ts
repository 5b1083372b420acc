import { randomBytes } from 'node:crypto';
import { SIGNATURE_WINDOW_SECONDS } from '../../contract/network/reputation.js';
import { MeshError } from '../errors.js';
import { sha256Hex } from './digests.js';
import { isSignedBy, type SigningKey } from './ed25519.js';

/** A request in the form that is signed. */
export interface SignedRequest {
  method: string;
  /** The path with its query, as sent. */
  path: string;
  /** The raw body; empty when there is none. */
  body: string;
}

export interface MeshSignature {
  pubkey: string;
  /** Epoch seconds. */
  ts: number;
  nonce: string;
  sig: string;
}

const HEADER = /^v1 ([A-Za-z0-9+/]{43}=) (\d{1,12}) ([A-Za-z0-9_-]{16,64}) ([A-Za-z0-9+/]{86}==)$/;

/** The text that is signed: six lines without a trailing newline. Contract: Reputation and signatures. */
function signedText({ method, path, body }: SignedRequest, ts: number, nonce: string): string {
  return ['v1', method, path, sha256Hex(body), String(ts), nonce].join('\n');
}

const refuse = (message: string) => new MeshError('bad_signature', message);

/** Parses a `Mesh-Sig` header. Throws `bad_signature` when it is not one of version 1. */
export function parseMeshSig(header: string): MeshSignature {
  const match = HEADER.exec(header);
  if (match === null) {
    throw refuse(
      'Send "Mesh-Sig: v1 <pubkey> <ts> <nonce> <sig>", key and signature in standard base64, a nonce of 16 to ' +
        '64 characters.',
    );
  }
  const [, pubkey, ts, nonce, sig] = match as unknown as [string, string, string, string, string];
  return { pubkey, ts: Number(ts), nonce, sig };
}

/**
 * Throws `bad_signature` unless `signature` is valid for `request` and its time is within two minutes of `nowMs`. The
 * caller must check afterwards that the nonce has not been used. Keys of small order and signatures with a
 * non-canonical S are rejected. Spec: Authentication.
 */
export function checkMeshSig(signature: MeshSignature, request: SignedRequest, nowMs: number): void {
  if (Math.abs(nowMs / 1000 - signature.ts) > SIGNATURE_WINDOW_SECONDS) {
    throw refuse(
      `The signature's time is more than ${SIGNATURE_WINDOW_SECONDS} s from this clock: sign the request ` +
        'when it is sent.',
    );
  }
  if (!isSignedBy(signature.pubkey, signedText(request, signature.ts, signature.nonce), signature.sig)) {
    throw refuse(
      'The signature does not fit the request: sign v1, method, path with query, SHA-256 of the body, ts and ' +
        'nonce, joined by newlines.',
    );
  }
}

/** The `Mesh-Sig` header of `request`, signed with `key` at `nowMs` with a new nonce. */
export function signMeshSig(key: SigningKey, request: SignedRequest, nowMs: number): string {
  const ts = Math.floor(nowMs / 1000);
  const nonce = randomBytes(16).toString('base64url');
  return `v1 ${key.pubkey} ${ts} ${nonce} ${key.sign(signedText(request, ts, nonce))}`;
}
