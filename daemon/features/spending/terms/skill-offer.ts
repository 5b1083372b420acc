import { Type } from 'typebox';
import Value from 'typebox/value';
import { Tier2Card } from '../../../contract/network/site.js';
import { LOCAL_NETWORK, type PaymentDeclaration } from '../../../contract/payments.js';
import { PricingRow } from '../../../contract/team.js';
import { withoutTrailingSlashes } from '../../../lib/text/trailing-slashes.js';
import { CallError } from '../call-failure.js';
import { readDeclaration } from './agent-answers.js';

/** The price of one call of a skill according to the card, in lamports, on one network and in one tier. */
export interface Price {
  amount: number;
  network: string;
  tier: string | null;
}

/** The terms of a card for calls of one of its skills. */
export interface SkillOffer {
  skill: string;
  /** The URL to call. */
  url: string;
  /** Empty for a skill that is free. */
  prices: readonly Price[];
  payment: PaymentDeclaration | undefined;
  /** True if a signed call may run on post-pay. */
  mayOwe: boolean;
  /** The name here of the network that the agent calls `solana:local`; null when that is no network known here. */
  localNetwork: string | null;
}

const LooseRow = Type.Object(PricingRow.properties, { additionalProperties: true });

/** Returns the full (Tier-2) card that an agent served. Throws `bad_card`. */
export function cardIn(value: unknown): Tier2Card {
  if (Value.Check(Tier2Card, value)) return value;
  throw new CallError('bad_card', 'The agent serves no valid full card.');
}

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/**
 * Returns the pricing rows of a skill: its own if it has any, else the card's. A row that names a skill applies only to
 * that skill.
 */
function rowsAbout(card: Tier2Card, skill: Record<string, unknown>): PricingRow[] {
  const own = toList(skill['pricing']);
  const rows = own.length > 0 ? own : toList(card.pricing);
  return rows.filter((row): row is PricingRow => {
    const about = (row as { skill?: unknown } | null)?.skill;
    return Value.Check(LooseRow, row) && (about === undefined || about === skill['id']);
  });
}

/**
 * Returns the tier of a call, as its agent determines it: the one that the call names, else the rows without a tier,
 * else the tier of the first row.
 */
function getTier(rows: readonly PricingRow[], tier: string | undefined, skill: string): string | undefined {
  if (rows.some((row) => row.tier === tier)) return tier;
  if (rows.length === 0 || rows.some((row) => row.tier === undefined)) return undefined;
  if (tier === undefined) return rows[0]?.tier;
  const tiers = [...new Set(rows.map((row) => row.tier))].join(', ');
  throw new CallError('skill_not_found', `"${skill}" has no tier "${tier.slice(0, 64)}", only ${tiers}.`);
}

/**
 * Returns how to call `skill` of the agent at `endpoint`, and its price in `tier`, according to the card. Throws
 * `skill_not_found`, and `bad_card` for an invalid payment declaration or a price that is not a whole number of
 * lamports.
 */
export function findOffer(card: Tier2Card, endpoint: string, skill: string, tier: string | undefined): SkillOffer {
  const found = card.skills.find(({ id }) => id === skill);
  if (!found) {
    const known = card.skills.map(({ id }) => id).join(', ');
    throw new CallError('skill_not_found', `Its card has no skill "${skill}"${known === '' ? '' : `, only ${known}`}.`);
  }
  const declared = (card as Record<string, unknown>)['payment'];
  const payment = readDeclaration(declared);
  if (declared !== undefined && !payment) throw new CallError('bad_card', 'Its card has no valid "payment".');
  const rows = rowsAbout(card, found);
  const named = getTier(rows, tier, skill);
  const paid = rows.filter((row) => row.tier === named && row.currency !== 'free' && row.amount > 0);
  // A row in another currency is another way to pay.
  const payable = paid.filter((row) => row.currency === 'lamports' && Number.isSafeInteger(row.amount));
  if (paid.length > 0 && payable.length === 0)
    throw new CallError('bad_card', `No price of "${skill}" can be paid: it must be a whole number of lamports.`);
  const prices = payable.map(
    (row): Price => ({
      amount: row.amount,
      network: row.network ?? payment?.network ?? LOCAL_NETWORK,
      tier: row.tier ?? null,
    }),
  );
  const minimum = payment?.postpay_min_reputation;
  return {
    skill,
    url: `${withoutTrailingSlashes(endpoint)}/v1/${encodeURIComponent(skill)}`,
    prices,
    payment,
    mayOwe: prices.length > 0 && minimum !== undefined && minimum !== null,
    localNetwork: LOCAL_NETWORK,
  };
}

/** Returns the offer of an agent whose local network is not this daemon's own but the one called `localNetwork`. */
export function withLocalNetwork(offer: SkillOffer, localNetwork: string | null): SkillOffer {
  const prices = offer.prices.map((price) => ({ ...price, network: toNameHere(price.network, localNetwork) }));
  return { ...offer, prices, localNetwork };
}

/** Returns the name here of a network that an agent names; `localNetwork` is the one that it calls `solana:local`. */
export const toNameHere = (network: string, localNetwork: string | null) =>
  network === LOCAL_NETWORK ? (localNetwork ?? network) : network;

/** The highest price of a call according to the card, on any network. */
export const highestPrice = (offer: SkillOffer) => Math.max(0, ...offer.prices.map(({ amount }) => amount));
