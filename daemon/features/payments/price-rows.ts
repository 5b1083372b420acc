import { LOCAL_NETWORK, type PaymentDeclaration } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import { MeshError } from '../../lib/errors.js';

/** A price that can be paid here: lamports on a network that this daemon knows. */
export interface PriceRow {
  network: string;
  amount: number;
  tier?: string;
}

export interface Prices {
  /** Every row that can be paid, in the card's order. */
  all: readonly PriceRow[];
  /** Those that are about the call's tier; where it names none, those without a tier, or else of the first row's. */
  ofCall: readonly PriceRow[];
  /** The call costs nothing. */
  isFree: boolean;
}

const isPayable = ({ currency, amount }: PricingRow) =>
  currency === 'lamports' && Number.isSafeInteger(amount) && amount > 0;
const isNothing = ({ currency, amount }: PricingRow) => currency === 'free' || amount === 0;

/** The tier that a call is about. One that no row is about would be served at another's price, so it is refused unless a row is about any. */
function tierOf(rows: readonly PricingRow[], tier: string | undefined): string | undefined {
  if (tier !== undefined && rows.some((row) => row.tier === tier)) return tier;
  if (rows.some((row) => row.tier === undefined)) return undefined;
  if (tier === undefined) return rows[0]?.tier;
  const tiers = [...new Set(rows.map((row) => row.tier))].join(', ');
  throw new MeshError('bad_request', `There is no such tier: name one of ${tiers}.`, { details: { path: 'tier' } });
}

/**
 * What a call may be paid with. Rows in another currency than lamports, of fractions, or on a network that is not in `networks` cannot be paid here
 * and are left out. Throws `bad_request` for a tier that no row is about. Spec: Pricing row.
 */
export function pricesOf(
  rows: readonly PricingRow[],
  tier: string | undefined,
  payment: Pick<PaymentDeclaration, 'network'>,
  networks: readonly string[],
): Prices {
  const named = tierOf(rows, tier);
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
  return { all, ofCall: all.filter(isOfCall), isFree: about.every(isNothing) };
}
