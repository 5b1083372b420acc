import type { PaymentDeclaration } from '../../../daemon/contract/payments.js';
import type { Tier2Card } from '../../../daemon/contract/site.js';
import type { PricingRow } from '../../../daemon/contract/team.js';

type Skill = Tier2Card['skills'][number];
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRow = (value: unknown): value is PricingRow =>
  isRecord(value) &&
  typeof value['unit'] === 'string' &&
  typeof value['amount'] === 'number' &&
  typeof value['currency'] === 'string';

/** The rows of a price that is one row or several, as far as they are rows. */
export const rowsOf = (pricing: unknown): PricingRow[] => (Array.isArray(pricing) ? pricing : [pricing]).filter(isRow);

/** Whether a call at this row is settled in lamports, and costs some: parts of a lamport are no price that anybody can pay. */
export const isPaid = ({ currency, amount }: PricingRow): boolean =>
  currency === 'lamports' && Number.isSafeInteger(amount) && amount > 0;

/** What a skill costs: its own rows, or else the card's. */
export const pricesOf = (card: Tier2Card, skill: Skill): PricingRow[] =>
  'pricing' in skill ? rowsOf((skill as Record<string, unknown>)['pricing']) : rowsOf(card.pricing);

/** How the agent is paid, if its card declares it: nothing of it is trusted to have the declared shape. */
export function paymentOf(card: Record<string, unknown>): Partial<PaymentDeclaration> | undefined {
  const { payment } = card;
  return isRecord(payment) ? (payment as Partial<PaymentDeclaration>) : undefined;
}

/** The schema of a skill's input, in either spelling. */
export const inputSchemaOf = (skill: Skill): unknown => {
  const { input_schema, inputSchema } = skill as Record<string, unknown>;
  return input_schema ?? inputSchema;
};

/** The most that a call may cost at the named tier, in lamports; undefined where it costs none. */
export function highestPrice(prices: readonly PricingRow[], tier: unknown): number | undefined {
  const named = prices.some((row) => row.tier === tier)
    ? tier
    : prices.some((row) => row.tier === undefined)
      ? undefined
      : prices[0]?.tier;
  const amounts = prices.filter((row) => isPaid(row) && row.tier === named).map(({ amount }) => amount);
  return amounts.length > 0 ? Math.max(...amounts) : undefined;
}
