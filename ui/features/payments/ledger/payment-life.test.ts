import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../../daemon/contract/payments.js';
import { formatLife, listStations } from './payment-life.js';

const life = (values: Partial<LedgerEntry>) =>
  listStations({ kind: 'call', mode: 'x402', side: 'earned', state: 'settled', signature: null, ...values })
    .map(({ state, at }) => (at === 'now' ? `[${state}]` : at === 'ahead' ? `(${state})` : state))
    .join(' ');

describe('payment stations', () => {
  it.each([
    [{ state: 'challenged', mode: null }, '[challenged] (paid) (settled)'],
    [{ state: 'paid' }, 'challenged [paid] (settled)'],
    [{ state: 'settled' }, 'challenged paid [settled]'],
    [{ state: 'expired', mode: null }, 'challenged [expired]'],
    [{ state: 'refunded' }, 'challenged paid [refunded]'],
    [{ state: 'refunded', mode: 'deposit' }, 'paid [refunded]'],
    [{ state: 'settled', mode: 'deposit' }, 'paid [settled]'],
    [{ state: 'settled', mode: 'free' }, 'paid [settled]'],
    [{ state: 'owed', mode: 'postpay', side: 'spent' }, '[owed] (settled)'],
    [{ state: 'waiting', side: 'spent' }, '[waiting] (challenged) (paid) (settled)'],
    [{ state: 'refused', side: 'spent' }, 'waiting [refused]'],
    [{ state: 'failed', side: 'spent', signature: 'sig' }, 'challenged paid [failed]'],
    [{ state: 'failed', side: 'spent' }, 'challenged [failed]'],
    [{ state: 'settled', kind: 'topup', mode: 'deposit' }, 'challenged paid [settled]'],
    [{ state: 'settled', kind: 'transfer', mode: null }, 'paid [settled]'],
  ] as const)('for %j are %s', (values, line) => expect(life(values)).toBe(line));

  it('are listed up to the current one for screen readers', () => {
    const stations = listStations({ kind: 'call', mode: 'x402', side: 'spent', state: 'paid', signature: 'sig' });
    expect(formatLife(stations)).toBe('payment requested, paid');
  });
});
