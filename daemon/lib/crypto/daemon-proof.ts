import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DaemonFile } from '../../contract/daemon-file.js';

const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;

/** Whether `address` is the bare origin of a daemon on this machine: every daemon listens on 127.0.0.1. */
export const isLoopbackOrigin = (address: unknown): address is string =>
  typeof address === 'string' && LOOPBACK.test(address);

/**
 * Parses the file in which a daemon describes itself. Returns undefined when it is truncated, incomplete or names
 * another host.
 */
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

/** The header in which the command line proves to the daemon that it acts for the operator. */
export const OPERATOR_HEADER = 'x-meshd-operator';

/**
 * The value of `OPERATOR_HEADER`: only the operator can read the secret. It uses another hash function than the
 * response to a nonce, which any caller may request.
 */
export const operatorProof = (secret: string): string => createHmac('sha512', secret).update('operator').digest('hex');

/** Whether `proof` was computed from `secret` and `nonce`. The comparison takes constant time. */
export function isValidProof(secret: string, nonce: string, proof: string | undefined): boolean {
  if (proof === undefined) return false;
  const expected = createHmac('sha256', secret).update(nonce).digest();
  const given = Buffer.from(proof, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
