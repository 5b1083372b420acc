import { describe, expect, it } from 'vitest';
import { readLedgerSearch, toLedgerFilters } from './ledger-search.js';

describe('ledger query', () => {
  it('keeps known parameters', () => {
    const search = { side: 'spent', state: 'owed', mode: 'postpay', agent: 'painter', q: 'fog', entry: 'pay-1' };
    expect(readLedgerSearch(search)).toEqual(search);
    expect(toLedgerFilters(readLedgerSearch(search))).not.toHaveProperty('entry');
  });

  it('ignores invalid parameters', () => {
    const read = readLedgerSearch({
      side: 'both',
      state: 'rich',
      mode: 7,
      agent: ' ',
      q: null,
      entry: ['x'],
      more: 'x',
    });
    expect(Object.values(read).every((value) => value === undefined)).toBe(true);
    expect(readLedgerSearch({ q: 42 }).q).toBe('42');
    expect(readLedgerSearch({ q: 'x'.repeat(500) }).q).toHaveLength(200);
  });
});
