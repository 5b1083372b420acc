import type { PricingRow } from '../../contract/team.js';
import { isPaidRow } from '../../lib/pricing-rules.js';
import type { HostedSkill } from './agent-spec.js';

/** The tier that an input names, where the prices of its skill have tiers. */
export function tierOf({ prices }: HostedSkill, input: Record<string, unknown>): string | undefined {
  const { tier } = input;
  return typeof tier === 'string' && prices.some((row) => row.tier === tier) ? tier : undefined;
}

/** Whether a call costs something: by the rows of its tier, which is the first row's when it names none. */
export function isPriced({ prices }: HostedSkill, tier: string | undefined): boolean {
  const named = tier ?? (prices.some((row) => row.tier === undefined) ? undefined : prices[0]?.tier);
  return prices.some((row) => row.tier === named && isPaidRow(row));
}

/** Whether any call of the skill costs something. */
export const mayBePriced = ({ prices }: { prices: readonly PricingRow[] }) => prices.some(isPaidRow);
