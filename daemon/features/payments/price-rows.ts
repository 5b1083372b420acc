import { LOCAL_NETWORK, type PaymentDeclaration } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import { MeshError } from '../../lib/errors.js';

/** A price that can be paid here: lamports on a configured network. */
export interface PriceRow {
  network: string;
  amount: number;
  tier?: string;
}

export interface Prices {
  /** All payable rows, in the order of the card. */
  all: readonly PriceRow[];
  /**
   * The payable rows of the call's tier. For a call that names no tier: the rows without a tier, or if there are none,
   * those of the first row's tier.
   */
  ofCall: readonly PriceRow[];
  /** The tier of the rows `ofCall`; undefined for those without a tier. */
  tier: string | undefined;
  isFree: boolean;
}

const isPayable = ({ currency, amount }: PricingRow) =>
  currency === 'lamports' && Number.isSafeInteger(amount) && amount > 0;
const isNothing = ({ currency, amount }: PricingRow) => currency === 'free' || amount === 0;

/**
 * Returns the tier that determines the price of a call; undefined for the rows without a tier. A tier that no row names
 * is refused, because it would be charged at another tier's price, unless there is a row without a tier.
 */
function getTier(rows: readonly PricingRow[], tier: string | undefined): string | undefined {
  if (rows.some((row) => row.tier === tier)) return tier;
  if (rows.some((row) => row.tier === undefined)) return undefined;
  if (tier === undefined) return rows[0]?.tier;
  const tiers = [...new Set(rows.map((row) => row.tier))].join(', ');
  throw new MeshError('bad_request', `There is no such tier: name one of ${tiers}.`, { details: { path: 'tier' } });
}

/**
 * Returns the prices at which a call can be paid. Leaves out rows in another currency than lamports, with a fractional
 * amount, or on a network that is not in `networks`. Throws `bad_request` for a tier that no row names. Spec: Pricing
 * row.
 */
export function selectPrices(
  rows: readonly PricingRow[],
  tier: string | undefined,
  payment: Pick<PaymentDeclaration, 'network'>,
  networks: readonly string[],
): Prices {
  const named = getTier(rows, tier);
  const isOfCall = (row: { tier?: string }) => row.tier === named;
  const about = rows.filter(isOfCall);
  const all = rows
    .filter(isPayable)
    .map(({ amount, network = payment.network ?? LOCAL_NETWORK, tier: rowTier }) => ({
      network,
      amount,
      ...(rowTier === undefined ? {} : { tier: rowTier }),
    }))
    .filter(({ network }) => networks.includes(network));
  return { all, ofCall: all.filter(isOfCall), tier: named, isFree: about.every(isNothing) };
}
