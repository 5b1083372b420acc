import { SigningKey } from '../../../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../../../daemon/lib/crypto/mesh-sig.js';
import type { Expectation } from './acknowledged.js';

interface SignedReport {
  request: [method: string, path: string, body: string, headers: { 'mesh-sig': string }];
  /** The nonce of its signature must be rejected on a second use. */
  refusedAgain: Expectation;
}

/** Creates a report about the agent `id`, signed with a key of its own. */
export function createReport(id: string): SignedReport {
  const key = new SigningKey(SigningKey.newSeed());
  const path = `/v1/agents/${id}/feedback`;
  const body = JSON.stringify({ success: true });
  const headers = { 'mesh-sig': signMeshSig(key, { method: 'POST', path, body }, Date.now()) };
  return {
    request: ['POST', path, body, headers],
    refusedAgain: {
      method: 'POST',
      path,
      headers,
      body,
      look: ({ status }) => status >= 400 && status < 500,
      is: true,
    },
  };
}
