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

it('makes a connection the operator’s that the system says is of another user', async () => {
  const app = await testApp({ readOwners: (wanted) => new Map([...wanted].map((ends) => [ends, 4_321])) });
  const ask = async (headers = {}) => (await app.call('GET', '/team', undefined, headers)).status;
  expect(await ask()).toBe(403);
  expect(await ask({ [OPERATOR_HEADER]: operatorProof('cd'.repeat(32)) })).toBe(403);
  expect(await ask({ [OPERATOR_HEADER]: operatorProof(app.daemon.secret) })).toBe(200);
});
