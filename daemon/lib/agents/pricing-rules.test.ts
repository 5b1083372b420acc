import { describe, expect, it } from 'vitest';
import type { PricingRow } from '../../contract/team.js';
import { encodeBase58 } from '../crypto/base58.js';
import { findPaymentMistake, findPricingMistake, withNetworks } from './pricing-rules.js';

const WALLET = encodeBase58(Buffer.alloc(32, 7));
const row = (more: Partial<PricingRow> = {}): PricingRow => ({
  unit: 'request',
  amount: 5000,
  currency: 'lamports',
  network: 'solana:local',
  ...more,
});

describe('a pricing row', () => {
  it.each<[PricingRow | PricingRow[]]>([
    [row()],
    [row({ network: undefined })],
    [{ unit: 'request', amount: 0, currency: 'free' }],
    [{ unit: 'poster', amount: 2.5, currency: 'USD' }],
    [[row(), row({ network: 'solana:devnet' }), row({ tier: 'mini', amount: 1 })]],
  ])('accepts %j', (pricing) => {
    expect(findPricingMistake(pricing)).toBeUndefined();
  });

  it.each<[PricingRow | PricingRow[], string, string]>([
    [row({ amount: 0.5 }), 'pricing.amount', 'whole number'],
    [row({ amount: 2 ** 53 }), 'pricing.amount', 'whole number'],
    [row({ network: 'solana:moon' }), 'pricing.network', 'solana:local'],
    [row({ currency: 'DOGE' }), 'pricing.currency', 'free, lamports, USD'],
    [{ unit: 'request', amount: 1, currency: 'free' }, 'pricing.amount', 'must be 0'],
    [[row(), row({ amount: 1 })], 'pricing.1.network', 'stands twice'],
    [[row({ tier: 'a' }), row({ tier: 'a' })], 'pricing.1.tier', 'stands twice'],
  ])('rejects %j and names the field', (pricing, path, message) => {
    const found = findPricingMistake(pricing);
    expect([found?.path.join('.'), found?.reason]).toEqual([path, expect.stringContaining(message)]);
    expect(found?.reason).toContain(path);
  });
});

describe('a payment declaration', () => {
  it.each([
    { modes: ['x402'] },
    {
      modes: ['x402', 'deposit'],
      network: 'solana:local',
      wallet: WALLET,
      deposit: { min_lamports: 1000, credit_unit: 'lamports' },
    },
    {
      modes: ['deposit'],
      postpay_min_reputation: null,
      free_tier: { calls_per_day: 3, by: 'pubkey+ip' },
      note: 'kept and ignored',
    },
  ])('accepts %j', (payment) => {
    expect(findPaymentMistake(payment, [row()])).toBeUndefined();
  });

  it.each<[Record<string, unknown>, string, string]>([
    [{}, 'payment.modes', 'is required'],
    [{ modes: ['barter'] }, 'payment.modes.0', 'must be one of x402, deposit'],
    [{ modes: [] }, 'payment.modes', 'must name x402'],
    [{ modes: ['x402', 'x402'] }, 'payment.modes', 'twice'],
    [{ modes: ['x402'], network: 'solana:moon' }, 'payment.network', 'must be one of'],
    [{ modes: ['x402'], network: 'solana:devnet' }, 'payment.network', 'no price is asked on'],
    [{ modes: ['x402'], wallet: 'abc' }, 'payment.wallet', '32 bytes'],
    [{ modes: ['x402'], wallet: `${WALLET}1` }, 'payment.wallet', '32 bytes'],
    [{ modes: ['x402'], wallet: 7 }, 'payment.wallet', 'string'],
    [{ modes: ['x402'], deposit: { min_lamports: 1, credit_unit: 'x' } }, 'payment.modes', 'must name deposit'],
    [
      { modes: ['deposit'], deposit: { min_lamports: 1.5, credit_unit: 'x' } },
      'payment.deposit.min_lamports',
      'integer',
    ],
    [{ modes: ['deposit'], deposit: { min_lamports: 1 } }, 'payment.deposit.credit_unit', 'is required'],
    [{ modes: ['x402'], postpay_min_reputation: 2 }, 'payment.postpay_min_reputation', '1'],
    [{ modes: ['x402'], free_tier: { calls_per_day: 1, by: 'name' } }, 'payment.free_tier.by', 'must be one of'],
  ])('rejects %j and names the field', (payment, path, message) => {
    const found = findPaymentMistake(payment, [row()]);
    expect([found?.path.join('.'), found?.reason]).toEqual([path, expect.stringContaining(message)]);
  });

  it('fills in the network of a row that names none', () => {
    const bare = row({ network: undefined });
    expect(withNetworks([bare], undefined)[0]?.network).toBe('solana:local');
    expect(withNetworks([bare], { network: 'solana:devnet' })[0]?.network).toBe('solana:devnet');
  });
});
