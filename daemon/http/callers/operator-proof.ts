import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { OPERATOR_HEADER, operatorProof } from '../../lib/crypto/daemon-proof.js';

/**
 * Recognizes requests of the operator's command line by a header that only a process which read the daemon's secret can
 * send.
 */
export class OperatorProof {
  private readonly proof: Buffer;

  constructor(secret: string) {
    this.proof = Buffer.from(operatorProof(secret));
  }

  isProved({ headers }: IncomingMessage): boolean {
    const given = headers[OPERATOR_HEADER];
    if (typeof given !== 'string') return false;
    const bytes = Buffer.from(given);
    return bytes.length === this.proof.length && timingSafeEqual(bytes, this.proof);
  }
}
