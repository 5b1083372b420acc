import { describe, expect, it } from 'vitest';
import type { Tier2Card } from '../../../daemon/contract/network/site.js';
import { aPrice } from '../../../daemon/testing/price-row.js';
import { getCardPayment, highestPrice, listPriceRows, listSkillPrices } from './card-prices.js';

describe('price of a call', () => {
  it('accepts one row or several and ignores invalid rows', () => {
    expect(listPriceRows(aPrice(5))).toEqual([aPrice(5)]);
    expect(listPriceRows([aPrice(5), null, 'free', { amount: 5 }])).toEqual([aPrice(5)]);
    expect(listPriceRows(undefined)).toEqual([]);
  });

  it('is the skill’s own, else the card’s', () => {
    const card = { pricing: [aPrice(5)] } as unknown as Tier2Card;
    const skill = { id: 'paint', name: 'Paint', description: '' };
    expect(listSkillPrices(card, skill)).toEqual([aPrice(5)]);
    expect(listSkillPrices(card, { ...skill, pricing: [aPrice(9)] } as typeof skill)).toEqual([aPrice(9)]);
  });

  it('is the highest over the networks of its tier', () => {
    const prices = [
      aPrice(5, { tier: 'mini' }),
      aPrice(7, { tier: 'mini', network: 'solana:devnet' }),
      aPrice(50, { tier: 'max' }),
    ];
    expect(highestPrice(prices, 'mini')).toBe(7);
    expect(highestPrice(prices, 'max')).toBe(50);
    expect(highestPrice(prices, undefined)).toBe(7);
    expect(highestPrice([aPrice(3), ...prices], undefined)).toBe(3);
    expect(highestPrice([{ unit: 'request', amount: 0, currency: 'free' }], undefined)).toBeUndefined();
    expect(highestPrice([{ unit: 'request', amount: 5, currency: 'USD' }], undefined)).toBeUndefined();
    for (const amount of [1.5, -5, 2 ** 53, Number.NaN])
      expect(highestPrice([aPrice(amount)], undefined)).toBeUndefined();
  });

  it('accepts only an object as payment declaration', () => {
    expect(getCardPayment({ payment: { modes: ['x402'] } })).toEqual({ modes: ['x402'] });
    for (const payment of [undefined, null, 'x402', ['x402']]) expect(getCardPayment({ payment })).toBeUndefined();
  });
});
