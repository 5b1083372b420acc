import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { OPERATOR_HEADER, operatorProof } from '../lib/daemon-proof.js';

/** Tells by what a request carries that the operator's command line sends it, which has read the daemon's secret. */
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
