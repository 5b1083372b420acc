import { describe, expect, it } from 'vitest';
import { foreignCaller } from '../../lib/foreign-caller.js';
import type { AnyRequest } from '../route-types.js';
import { getCaller } from './caller.js';

const read = (headers: Record<string, string | string[]>) => getCaller({ headers } as unknown as AnyRequest);

const TRACE = `00-${'4bf92f35'.repeat(4)}-${'00f067aa'.repeat(2)}-01`;

describe('the caller of a request', () => {
  it('is nobody in particular without headers', () => {
    expect(read({})).toStrictEqual({ user_agent: null, idempotency_key: null });
  });

  it('is known by its user agent, of which 200 characters are kept', () => {
    expect(read({ 'user-agent': 'curl/8' }).user_agent).toBe('curl/8');
    expect(read({ 'user-agent': `${'a'.repeat(199)}bc` }).user_agent).toBe(`${'a'.repeat(199)}b`);
  });

  it('is known by its idempotency key, unless it sent several', () => {
    expect(read({ 'idempotency-key': 'k' }).idempotency_key).toBe('k');
    expect(read({ 'idempotency-key': ['k', 'k'] }).idempotency_key).toBeNull();
  });

  it('tells the trace that the request belongs to', () => {
    expect(read({ traceparent: TRACE }).traceparent).toBe(TRACE);
  });

  it.each<[string, string | string[]]>([
    ['with something before it', `x${TRACE}`],
    ['with something after it', `${TRACE}-x`],
    ['with a short version', TRACE.slice(1)],
    ['with short flags', TRACE.slice(0, -1)],
    ['with a short trace', TRACE.replace('4bf92f35', '4bf92f3')],
    ['with a short span', TRACE.replace('00f067aa', '00f067a')],
    ['in capitals', TRACE.toUpperCase()],
    ['sent as a list', [TRACE]],
    ['that is empty', ''],
  ])('tells no trace %s', (_what, traceparent) => {
    expect(read({ traceparent })).not.toHaveProperty('traceparent');
  });

  it('is the operator on a page of the daemon alone, and no other user of the machine', () => {
    const onPage = (site: string) => read({ 'sec-fetch-site': site });
    expect(onPage('same-origin')).toMatchObject({ operator: true });
    for (const site of ['same-site', 'cross-site', 'none', '']) expect(onPage(site)).not.toHaveProperty('operator');
    expect(foreignCaller.run(1000, () => onPage('same-origin'))).not.toHaveProperty('operator');
  });
});
