import { describe, expect, it } from 'vitest';
import type { AnyRequest } from '../route-types.js';
import { parseClusterCredential } from './cluster-credential.js';

const read = (headers: Record<string, string | string[]>, query: object = {}) =>
  parseClusterCredential({ headers, query } as unknown as AnyRequest);

describe('the token of a cluster', () => {
  it.each([
    ['its own header', { 'x-cluster-token': 'ck_a' }, {}],
    ['its own header, as a list of one', { 'x-cluster-token': ['ck_a'] }, {}],
    ['the bearer header', { authorization: 'Bearer ck_a' }, {}],
    ['the query', {}, { token: 'ck_a' }],
    ['all three places', { 'x-cluster-token': 'ck_a', authorization: 'Bearer ck_a' }, { token: 'ck_a' }],
    ['the query, beside an empty header', { 'x-cluster-token': '' }, { token: 'ck_a' }],
    ['its own header, beside an empty query', { 'x-cluster-token': 'ck_a' }, { token: '' }],
  ])('is read from %s', (_place, headers, query) => {
    expect(read(headers as Record<string, string>, query)).toBe('ck_a');
  });

  it('is undefined when the request carries none', () => {
    expect(read({})).toBeUndefined();
    expect(read({ 'x-cluster-token': '', authorization: 'Basic ck_a' }, { token: '' })).toBeUndefined();
  });

  it('is read up to 256 characters', () => {
    expect(read({ 'x-cluster-token': `ck_${'a'.repeat(253)}b` })).toBe(`ck_${'a'.repeat(253)}`);
  });

  it('is two tokens when the places differ, and refused when there are three', () => {
    const headers = { 'x-cluster-token': 'ak_a', authorization: 'Bearer ck_a' };
    expect(read(headers)).toEqual(['ak_a', 'ck_a']);
    expect(read({ authorization: 'Bearer ck_a' }, { token: 'ak_a' })).toEqual(['ck_a', 'ak_a']);
    expect(() => read(headers, { token: 'ck_b' })).toThrow(
      expect.objectContaining({
        code: 'unauthorized',
        message: 'Send one token, or both of this cluster: this request carries different ones.',
      }),
    );
  });

  it('sent twice in its own header is no token of the other places', () => {
    expect(read({ 'x-cluster-token': ['ck_a', 'ck_b'] })).toBe('ck_a,ck_b');
  });

  it('is refused when the query carries it twice, even if both are equal', () => {
    expect(() => read({}, { token: ['ck_a', 'ck_a'] })).toThrow(
      expect.objectContaining({ code: 'unauthorized', message: expect.stringContaining('Authorization: Bearer') }),
    );
  });
});
