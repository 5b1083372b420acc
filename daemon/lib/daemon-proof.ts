import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DaemonFile } from '../contract/daemon-file.js';

const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;

/** Whether `address` is an origin that a daemon of this machine can have, and nothing more: each listens on 127.0.0.1. */
export const isLoopbackOrigin = (address: unknown): address is string =>
  typeof address === 'string' && LOOPBACK.test(address);

/** What a daemon wrote about itself, or undefined when the text is torn, incomplete or names another machine. */
export function parseDaemonFile(text: string): DaemonFile | undefined {
  let file: DaemonFile;
  try {
    file = JSON.parse(text) as DaemonFile;
  } catch {
    return undefined;
  }
  const isComplete = typeof file?.secret === 'string' && Number.isInteger(file.pid) && isLoopbackOrigin(file.address);
  return isComplete ? file : undefined;
}

/** In which the command line proves to the daemon that it is the operator's. */
export const OPERATOR_HEADER = 'x-meshd-operator';

/** What it sends there: who can read the secret is the operator. Another function of it than the answer to a nonce, which anybody may ask for. */
export const operatorProof = (secret: string): string => createHmac('sha512', secret).update('operator').digest('hex');

/** Whether `proof` can only come from who holds `secret`. */
export function isProofOf(secret: string, nonce: string, proof: string | undefined): boolean {
  const expected = createHmac('sha256', secret).update(nonce).digest();
  const given = Buffer.from(proof ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
