import type { PricingRow } from '../../contract/team.js';
import { isPaidRow } from '../../lib/agents/pricing-rules.js';
import { MeshError } from '../../lib/errors.js';
import type { HostedSkill } from './agent-spec.js';

/**
 * The tier that an input names, when the skill's prices have tiers. Throws `bad_request` for a tier without a price, so
 * that no call is charged at another tier.
 */
export function selectTier({ prices }: HostedSkill, { tier }: Record<string, unknown>): string | undefined {
  const tiers = prices.flatMap((row) => (row.tier === undefined ? [] : [row.tier]));
  if (tier === undefined || tiers.length === 0) return undefined;
  if (typeof tier === 'string' && tiers.includes(tier)) return tier;
  throw new MeshError(
    'bad_request',
    `"tier" must be one of ${[...new Set(tiers)].join(', ')}: the others have no price.`,
    {
      details: { path: 'tier' },
    },
  );
}

/**
 * Whether a call costs something, by the price rows of its tier. Without a tier the rows without one apply, or those of
 * the first row's tier when every row has one.
 */
export function isPriced({ prices }: HostedSkill, tier: string | undefined): boolean {
  const named = tier ?? (prices.some((row) => row.tier === undefined) ? undefined : prices[0]?.tier);
  return prices.some((row) => row.tier === named && isPaidRow(row));
}

/** Whether any call of the skill costs something. */
export const mayBePriced = ({ prices }: { prices: readonly PricingRow[] }) => prices.some(isPaidRow);
