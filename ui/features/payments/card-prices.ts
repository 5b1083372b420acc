import type { Tier2Card } from '../../../daemon/contract/network/site.js';
import type { PaymentDeclaration } from '../../../daemon/contract/payments.js';
import type { PricingRow } from '../../../daemon/contract/team.js';
import { isObject } from '../../../daemon/lib/is-object.js';

type Skill = Tier2Card['skills'][number];
const isRow = (value: unknown): value is PricingRow =>
  isObject(value) &&
  typeof value['unit'] === 'string' &&
  typeof value['amount'] === 'number' &&
  typeof value['currency'] === 'string';

/** Returns the valid rows of a price, which is one row or several. */
export const listPriceRows = (pricing: unknown): PricingRow[] =>
  (Array.isArray(pricing) ? pricing : [pricing]).filter(isRow);

/** Reports whether a call at this price costs lamports. A fraction of a lamport cannot be paid and does not count. */
export const isPaid = ({ currency, amount }: PricingRow): boolean =>
  currency === 'lamports' && Number.isSafeInteger(amount) && amount > 0;

/** Returns a skill's price: its own rows, or else the card's. */
export const listSkillPrices = (card: Tier2Card, skill: Skill): PricingRow[] =>
  'pricing' in skill ? listPriceRows((skill as Record<string, unknown>)['pricing']) : listPriceRows(card.pricing);

/** Returns the card's payment declaration. Its fields are untrusted and may have any shape. */
export function getCardPayment(card: Record<string, unknown>): Partial<PaymentDeclaration> | undefined {
  const { payment } = card;
  return isObject(payment) ? (payment as Partial<PaymentDeclaration>) : undefined;
}

/** Returns the input schema of a skill, in either spelling. */
export const getInputSchema = (skill: Skill): unknown => {
  const { input_schema, inputSchema } = skill as Record<string, unknown>;
  return input_schema ?? inputSchema;
};

/** Returns the most that a call may cost at the tier, in lamports; undefined when it costs none. */
export function highestPrice(prices: readonly PricingRow[], tier: unknown): number | undefined {
  const named = prices.some((row) => row.tier === tier)
    ? tier
    : prices.some((row) => row.tier === undefined)
      ? undefined
      : prices[0]?.tier;
  const amounts = prices.filter((row) => isPaid(row) && row.tier === named).map(({ amount }) => amount);
  return amounts.length > 0 ? Math.max(...amounts) : undefined;
}
