import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import type { AnyRequest } from '../route-types.js';
import { getHeader, offeredPayment, requestDigest } from './payment-headers.js';

type Headers = Record<string, string | string[]>;

const asking = (headers: Headers) => ({ headers, ip: '127.0.0.1' }) as unknown as AnyRequest;
const offered = (headers: Headers, pubkey?: string) => offeredPayment(asking(headers), pubkey);

const PROOF = { 'x-payment-proof': 'p', 'x-payment-nonce': 'n' };

describe('a header', () => {
  const read = (value: string | string[]) => getHeader(asking({ 'x-api-key': value }), 'x-api-key');

  it('is what was sent, up to 512 characters', () => {
    expect(read('k')).toBe('k');
    expect(read('k'.repeat(512))).toBe('k'.repeat(512));
  });

  it('that is longer is refused by its name', () => {
    expect(() => read('k'.repeat(513))).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: 'The header x-api-key is longer than 512 characters.',
        details: { path: 'x-api-key' },
      }),
    );
  });

  it('that is missing, empty or sent as a list counts as none', () => {
    expect(getHeader(asking({ 'x-other': 'k' }), 'x-api-key')).toBeUndefined();
    expect([read(''), read(['k']), read(['k', 'k'])]).toEqual([undefined, undefined, undefined]);
  });
});

describe('what a request offers as payment', () => {
  it('is only the address of the caller when it sends nothing', () => {
    expect(offered({})).toStrictEqual({ address: '127.0.0.1' });
  });

  it.each<[string, Headers, string | undefined, object]>([
    ['an API key', { 'x-api-key': 'k' }, undefined, { apiKey: 'k' }],
    ['a proof with its nonce', PROOF, undefined, { proof: 'p', nonce: 'n' }],
    ['the key of its signature', {}, 'pub', { pubkey: 'pub' }],
    ['everything', { ...PROOF, 'x-api-key': 'k' }, 'pub', { apiKey: 'k', proof: 'p', nonce: 'n', pubkey: 'pub' }],
  ])('is %s and no more', (_what, headers, pubkey, payment) => {
    expect(offered(headers, pubkey)).toStrictEqual({ address: '127.0.0.1', ...payment });
  });

  it.each<[string, Headers]>([
    ['a proof without its nonce', { 'x-payment-proof': 'p' }],
    ['a nonce without its proof', { 'x-payment-nonce': 'n' }],
    ['a proof with an empty nonce', { ...PROOF, 'x-payment-nonce': '' }],
    ['a proof of x402, version 1', { 'x-payment': 'p' }],
    ['a proof of x402, version 2', { 'payment-signature': 'p' }],
    ['another proof beside an API key', { 'payment-signature': 'p', 'x-api-key': 'k' }],
  ])('is refused for %s, with what to send', (_what, headers) => {
    expect(() => offered(headers)).toThrow(
      expect.objectContaining({
        code: 'proof_format',
        message:
          'Prove a payment with both X-Payment-Proof (the transaction signature) and X-Payment-Nonce (the nonce that ' +
          'was its memo).',
      }),
    );
  });

  it('is the own proof when that of another protocol is sent beside it', () => {
    expect(offered({ ...PROOF, 'x-payment': 'other' })).toMatchObject({ proof: 'p', nonce: 'n' });
  });
});

describe('the digest of a request', () => {
  const digest = (method: string, url: string, body?: unknown) => requestDigest({ method, url, body } as AnyRequest);

  it('is made of method, path with query and canonical body, a line each', () => {
    expect(digest('POST', '/v1/x?a', { b: 1, a: [2] })).toBe(sha256Hex('POST\n/v1/x?a\n{"a":[2],"b":1}'));
    expect(digest('POST', '/v1/x?a', { a: [2], b: 1 })).toBe(digest('POST', '/v1/x?a', { b: 1, a: [2] }));
  });

  it('takes a missing body for null', () => {
    expect(digest('GET', '/x')).toBe(sha256Hex('GET\n/x\nnull'));
    expect(digest('GET', '/x', null)).toBe(digest('GET', '/x'));
  });
});
