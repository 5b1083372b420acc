import { describe, expect, it } from 'vitest';
import {
  EMPTY_PRICE,
  parsePayment,
  parsePricing,
  pricingProblems,
  toPricingText,
  withAskedNetwork,
} from './pricing-values.js';

const PRICING = [
  { unit: 'request', amount: 5_000, currency: 'lamports', network: 'solana:local' },
  { unit: 'request', amount: 9_000, currency: 'lamports', network: 'solana:local', tier: 'max' },
];
const PAYMENT = {
  modes: ['x402', 'deposit'],
  network: 'solana:local',
  wallet: '9XmPsULodE6uMm7CXgBmoZBjeCEDh5m83Pq3bThVucej',
  deposit: { min_lamports: 2_000, credit_unit: 'calls' },
  postpay_min_reputation: 0.8,
  free_tier: { calls_per_day: 3, by: 'pubkey+ip' },
  invoice: { to: 'harbour' },
};
const NOTHING = toPricingText({});

describe('pricing form', () => {
  it('round-trips the file with the keys that it does not show', () => {
    const { prices, payment } = toPricingText({ pricing: PRICING, payment: PAYMENT });
    expect(parsePricing(prices)).toEqual(PRICING);
    expect(parsePayment(payment)).toEqual(PAYMENT);
  });

  it('is empty when the file has no price', () => {
    expect(parsePricing(NOTHING.prices)).toBeNull();
    expect(parsePayment(NOTHING.payment)).toBeNull();
    expect(pricingProblems(NOTHING)).toEqual({});
  });

  it('accepts a single row', () => expect(toPricingText({ pricing: PRICING[0] }).prices).toHaveLength(1));

  it('writes no network for a price that is not in lamports', () => {
    expect(parsePricing([{ ...EMPTY_PRICE, currency: 'free', amount: '7' }])).toEqual([
      { unit: 'request', amount: 0, currency: 'free' },
    ]);
    expect(parsePricing([{ ...EMPTY_PRICE, currency: 'USD', amount: '25' }])).toEqual([
      { unit: 'request', amount: 25, currency: 'USD' },
    ]);
  });

  it('drops a declared network that no price uses', () => {
    const payment = { ...NOTHING.payment, network: 'solana:local' };
    expect(withAskedNetwork(payment, [EMPTY_PRICE])).toBe(payment);
    expect(withAskedNetwork(payment, [{ ...EMPTY_PRICE, network: '' }])).toBe(payment);
    expect(withAskedNetwork(payment, [{ ...EMPTY_PRICE, network: 'solana:devnet' }]).network).toBe('');
    expect(withAskedNetwork(payment, []).network).toBe('');
  });

  it('reports problems under the daemon’s paths', () => {
    const twice = { ...EMPTY_PRICE, amount: '1.5', unit: ' ' };
    const problems = pricingProblems({
      prices: [twice, twice],
      payment: { ...NOTHING.payment, wallet: 'mine', postpay: '2', free_calls: 'many' },
    });
    expect(Object.keys(problems).sort()).toEqual([
      'payment.free_tier.calls_per_day',
      'payment.modes',
      'payment.postpay_min_reputation',
      'payment.wallet',
      'pricing.0.amount',
      'pricing.0.unit',
      'pricing.1.amount',
      'pricing.1.tier',
      'pricing.1.unit',
    ]);
    expect(
      pricingProblems({ prices: [{ ...EMPTY_PRICE, amount: '5' }], payment: { ...NOTHING.payment, modes: ['x402'] } }),
    ).toEqual({});
  });
});
