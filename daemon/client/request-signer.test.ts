import { expect, it } from 'vitest';
import { checkMeshSig, parseMeshSig } from '../lib/crypto/mesh-sig.js';
import { call } from './call.js';
import type { FetchInit } from './daemon.js';
import { createRequestSigner } from './request-signer.js';

const signer = createRequestSigner(new Uint8Array(32).fill(7));

it('signs the method, the path with its query and the body of a call', async () => {
  const sent: { url: string; init: FetchInit }[] = [];
  const daemon = {
    address: 'http://127.0.0.1:4747',
    fetch: async (url: string, init: FetchInit) => {
      sent.push({ url, init });
      return { ok: true, status: 200, headers: { get: () => null }, text: async () => '{}' };
    },
  };
  await call(daemon, '/v1/agents/printer/feedback', {
    method: 'POST',
    query: { x: 1 },
    body: { text: 'gut — ok' },
    signer,
  });
  await call(daemon, '/v1/agents', { signer });
  await call(daemon, '/v1/agents');
  const [posted, read, unsigned] = sent.map(({ url, init }) => ({
    header: init.headers['mesh-sig'],
    request: { method: init.method, path: url.slice(daemon.address.length), body: init.body ?? '' },
  }));
  for (const { header = '', request } of [posted, read].filter((one) => one !== undefined)) {
    const signature = parseMeshSig(header);
    expect(signature.pubkey).toBe(signer.pubkey);
    expect(() => checkMeshSig(signature, request, Date.now())).not.toThrow();
    expect(() => checkMeshSig(signature, { ...request, path: '/other' }, Date.now())).toThrow('does not fit');
  }
  expect(posted?.request.path).toBe('/v1/agents/printer/feedback?x=1');
  expect(unsigned?.header).toBeUndefined();
});

it('signs every request with a new nonce', async () => {
  const request = { method: 'GET', path: '/', body: '' };
  const nonces = [await signer.header(request), await signer.header(request)].map((one) => parseMeshSig(one).nonce);
  expect(new Set(nonces).size).toBe(2);
});
