import { describe, expect, it } from 'vitest';
import type { PricingRow } from '../../contract/team.js';
import type { HostedSkill } from './agent-spec.js';
import { isPriced, selectTier } from './skill-prices.js';

const row = (tier: string | undefined, amount: number): PricingRow => ({
  unit: 'request',
  amount,
  currency: amount === 0 ? 'free' : 'lamports',
  network: 'solana:local',
  ...(tier === undefined ? {} : { tier }),
});
const skill = (...prices: PricingRow[]) => ({ prices }) as HostedSkill;

describe('Tier of a call', () => {
  it('is the tier that the input names', () => {
    expect(selectTier(skill(row('mini', 100), row('max', 900)), { tier: 'max' })).toBe('max');
    expect(selectTier(skill(row('mini', 100)), {})).toBeUndefined();
  });

  it.each(['huge', 7, null])('is rejected when no row has a price for it: %j', (tier) => {
    expect(() => selectTier(skill(row('mini', 100), row('max', 900)), { tier })).toThrow(
      expect.objectContaining({ code: 'bad_request', details: { path: 'tier' } }),
    );
  });

  it('is ignored when the prices have no tiers', () => {
    expect(selectTier(skill(row(undefined, 100)), { tier: 'huge' })).toBeUndefined();
  });

  it('defaults to that of the first row', () => {
    expect(isPriced(skill(row('mini', 0), row('max', 900)), undefined)).toBe(false);
    expect(isPriced(skill(row('mini', 100), row('max', 0)), undefined)).toBe(true);
    expect(isPriced(skill(row('mini', 100), row(undefined, 0)), undefined)).toBe(false);
  });
});
