import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { OPERATOR_HEADER, operatorProof } from '../../lib/crypto/daemon-proof.js';
import { testApp } from '../../testing/apps/test-app.js';
import { OperatorProof } from './operator-proof.js';

const SECRET = 'ab'.repeat(32);
const withProof = (proof: string) => ({ headers: { [OPERATOR_HEADER]: proof } }) as unknown as IncomingMessage;

it('accepts only the proof made with the daemon’s secret', () => {
  const operator = new OperatorProof(SECRET);
  const own = operatorProof(SECRET);
  const wrong = [operatorProof('cd'.repeat(32)), own.slice(1), `${own}0`, own.toUpperCase(), SECRET, ''];
  expect([own, ...wrong].map((proof) => operator.isProved(withProof(proof)))).toEqual([
    true,
    ...wrong.map(() => false),
  ]);
  expect(operator.isProved({ headers: {} } as IncomingMessage)).toBe(false);
});

it('is not revealed by a health request with any nonce', async () => {
  const app = await testApp();
  const own = operatorProof(app.daemon.secret);
  for (const nonce of ['operator', own, Buffer.from('operator').toString('base64url')]) {
    const { text } = await app.call('GET', `/health?nonce=${nonce}`);
    expect(text).not.toContain(own);
  }
});
