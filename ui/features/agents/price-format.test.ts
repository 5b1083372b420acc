import { describe, expect, it } from 'vitest';
import { currencyNote, formatPrice, priceTerms } from './price-format.js';

describe('price', () => {
  it.each([
    [{ unit: 'request', amount: 5, currency: 'USD' }, '$0.05 per request'],
    [{ unit: 'request', amount: 0.25, currency: 'USD' }, '$0.0025 per request'],
    [{ unit: 'image', amount: 120_000, currency: 'lamports' }, '120,000 lamports per image'],
    [{ unit: 'request', amount: 0, currency: 'lamports' }, 'free'],
    [{ unit: 'request', amount: 0, currency: 'free' }, 'free'],
    [{ unit: 'page', amount: 3, currency: 'EURC' }, '3 EURC per page'],
  ])('of %j is %s', (pricing, words) => expect(formatPrice(pricing)).toBe(words));

  it('names network and tier, and marks the built-in network as simulated', () => {
    const pricing = { unit: 'image', amount: 1000, currency: 'lamports' };
    expect(priceTerms(pricing)).toBe('');
    expect(priceTerms({ ...pricing, network: 'solana:local', tier: 'standard' })).toBe(
      'solana:local, simulated, standard',
    );
    expect(priceTerms({ ...pricing, network: 'solana:mainnet' })).toBe('solana:mainnet');
  });

  it('explains lamports and no other currency', () => {
    expect(currencyNote({ unit: 'image', amount: 1000, currency: 'lamports' })).toMatch(/not dollars/);
    expect(currencyNote({ unit: 'image', amount: 0, currency: 'lamports' })).toBeUndefined();
    expect(currencyNote({ unit: 'image', amount: 5, currency: 'USD' })).toBeUndefined();
  });
});
