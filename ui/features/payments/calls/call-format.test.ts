import { describe, expect, it } from 'vitest';
import type { Call } from '../../../../daemon/contract/payments.js';
import { callStations, formatReport, mayHavePaid } from './call-format.js';

const line = (values: Partial<Call>) =>
  callStations({ state: 'running', mode: 'x402', amount_lamports: 5_000, signature: null, latency_ms: null, ...values })
    .map(({ words, at }) => (at === 'now' ? `[${words}]` : at === 'ahead' ? `(${words})` : words))
    .join(' ');

describe('stations of a call', () => {
  it.each([
    [{ mode: null, amount_lamports: null }, '(402) (paid) (200)'],
    [{}, '[402: 5,000 lamports] (paid) (200)'],
    [{ signature: 'sig' }, '402: 5,000 lamports [paid] (200)'],
    [{ signature: 'sig', latency_ms: 98 }, '402: 5,000 lamports paid [200 in 98 ms]'],
    [{ state: 'done', signature: 'sig', latency_ms: 98 }, '402: 5,000 lamports paid [200 in 98 ms]'],
    [{ state: 'done', mode: 'free', latency_ms: 98, amount_lamports: 0 }, '[200 in 98 ms, free of charge]'],
    [{ state: 'done', mode: null, latency_ms: 98, amount_lamports: 0 }, '[200 in 98 ms, free of charge]'],
    [{ state: 'done', mode: 'deposit', latency_ms: 98 }, 'from the deposit: 5,000 lamports [200 in 98 ms]'],
    [{ state: 'done', mode: 'postpay', latency_ms: 98 }, '200 in 98 ms [owed: 5,000 lamports]'],
    [{ state: 'waiting' }, '[needs your approval] (paid) (200)'],
    [{ state: 'failed', error: { code: 'denied', message: '' } }, '402: 5,000 lamports [denied]'],
    [
      { state: 'failed', signature: 'sig', error: { code: 'not_delivered', message: '' } },
      '402: 5,000 lamports paid [failed]',
    ],
    [{ state: 'failed', mode: null, amount_lamports: null, error: { code: 'unreachable', message: '' } }, '[failed]'],
  ] as const)('for %j are %s', (values, stations) => expect(line(values as Partial<Call>)).toBe(stations));

  it.each<[boolean, string, Partial<Call>]>([
    [true, 'not_delivered', {}],
    // The price of a call that failed is a balance with the agent, and an outcome that is not known may be a payment.
    [true, 'agent_failed', { mode: 'x402', signature: 'sig' }],
    [true, 'network_unavailable', { mode: 'x402', signature: 'sig' }],
    // A top-up, whose transfer is not that of the call.
    [true, 'unreachable', { mode: 'deposit', payment_id: 'pay-1' }],
    [true, 'interrupted', { mode: 'deposit', payment_id: 'pay-1' }],
    [true, 'no_deposit', { mode: 'deposit', payment_id: 'pay-1' }],
    [true, 'network_unavailable', { mode: 'deposit', payment_id: 'pay-1' }],
    [false, 'unreachable', {}],
    [false, 'insufficient_funds', { mode: 'deposit', payment_id: 'pay-1' }],
    [false, 'denied', { mode: 'deposit', payment_id: 'pay-1' }],
    [false, 'network_unavailable', { mode: 'x402', payment_id: 'pay-1' }],
    [false, 'interrupted', { mode: 'postpay', payment_id: 'pay-1' }],
  ])('report that a failed call may have cost something: %s with %s and %j', (expected, code, values) => {
    const none = { mode: null, payment_id: null, signature: null };
    expect(mayHavePaid({ ...none, ...values, error: { code, message: '' } })).toBe(expected);
  });

  it('report the result of the filed report', () => {
    expect(formatReport({ ok: true, score: 0.874 })).toBe('Filed. Its score is 0.87 now.');
    expect(formatReport({ ok: false, error: 'status 400' })).toBe('Not filed: status 400');
    expect(formatReport(undefined)).toBeUndefined();
    expect(formatReport(null)).toBeUndefined();
  });
});
