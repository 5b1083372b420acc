import type { PricingRow } from '../../contract/team.js';
import { isPaidRow } from '../../lib/agents/pricing-rules.js';
import type { UsualLatency } from '../asks/usual-latency.js';
import type { AgentSpec, HostedSkill } from './agent-spec.js';

type Terms = Pick<AgentSpec, 'payment' | 'latency' | 'measuredLatency'>;

const formatPrice = ({ amount, currency, unit, tier }: PricingRow) =>
  `${amount} ${currency} per ${unit}${tier === undefined ? '' : ` (${tier})`}`;

function formatFreeCalls({ payment }: Terms): string {
  const { calls_per_day = 0, by = 'ip' } = payment?.free_tier ?? {};
  if (calls_per_day === 0) return 'No free calls.';
  return (
    `Free: ${calls_per_day} ${calls_per_day === 1 ? 'call' : 'calls'} a day for each ` +
    `${by === 'pubkey' ? 'signing key' : 'address'}.`
  );
}

function formatDuration(ms: number): string {
  if (ms < 100) return 'under 0.1 s';
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} minutes`;
}

/** A measured latency in words. */
export const formatLatency = ({ medianMs, answers }: UsualLatency) =>
  `${formatDuration(medianMs)}, the median of ${answers} answers`;

/**
 * The description of a skill as cards show it: for a priced one with its price, its free allowance and its usual
 * latency.
 */
export function describeSkill({ description, prices }: HostedSkill, spec: Terms): string {
  const paid = prices.filter(isPaidRow);
  if (paid.length === 0) return description;
  const terms = [
    `Price: ${paid.map(formatPrice).join(' or ')}.`,
    formatFreeCalls(spec),
    `Usual latency: ${spec.measuredLatency?.() ?? spec.latency}.`,
  ];
  return [description, ...terms].join(' ').trim();
}
