import Value from 'typebox/value';
import type { Tier1Pricing } from '../../contract/network/agents.js';
import { LOCAL_NETWORK, NETWORKS, PaymentDeclaration } from '../../contract/payments.js';
import { CURRENCIES, type PricingRow } from '../../contract/team.js';
import { isBase58OfLength } from '../crypto/base58.js';

/** An error in a price or a payment declaration, and its location. */
export interface DeclarationMistake {
  /** The keys that lead to the location in the file or the card. */
  path: string[];
  /** A complete sentence that names the field. */
  reason: string;
}

const networks = NETWORKS.join(', ');
const isKnownNetwork = (network: string) => (NETWORKS as readonly string[]).includes(network);

const mistake = (path: string[], message: string): DeclarationMistake => ({
  path,
  reason: `\`${path.join('.')}\` ${message}.`,
});

/** Normalizes a price to a list of rows; empty when there is no price. */
export function priceRows(pricing: PricingRow | readonly PricingRow[] | undefined): PricingRow[] {
  return pricing === undefined ? [] : [pricing as PricingRow].flat();
}

/** Returns the price of a discovery card: the first row, without what is in the Tier-2 card alone. */
export function toTier1Pricing(pricing: unknown): Tier1Pricing | undefined {
  const [row] = [pricing].flat() as (PricingRow | undefined)[];
  return row && ({ unit: row.unit, amount: row.amount, currency: row.currency } as Tier1Pricing);
}

/** Whether a call at this row is settled by the daemon: an amount of lamports above 0. */
export const isPaidRow = ({ currency, amount }: PricingRow) => currency === 'lamports' && amount > 0;

/**
 * Returns the first error in a price, or undefined. `at` is the path of the price. Amounts of lamports must be safe
 * integers, paid rows must name a known network (or leave it to `payment`), and no network may have two rows of one
 * tier. Spec: Pricing row.
 */
export function findPricingMistake(
  pricing: PricingRow | readonly PricingRow[] | undefined,
  at: readonly string[] = ['pricing'],
): DeclarationMistake | undefined {
  const seen = new Set<string>();
  for (const [index, { amount, currency, network, tier }] of priceRows(pricing).entries()) {
    const path = (key: string) => [...at, ...(Array.isArray(pricing) ? [String(index)] : []), key];
    if (!(CURRENCIES as readonly string[]).includes(currency))
      return mistake(path('currency'), `must be one of ${CURRENCIES.join(', ')}`);
    if (currency === 'lamports' && !Number.isSafeInteger(amount))
      return mistake(path('amount'), 'must be a whole number of lamports');
    if (currency === 'free' && amount !== 0) return mistake(path('amount'), 'must be 0 where the currency is `free`');
    if (currency === 'lamports' && network !== undefined && !isKnownNetwork(network)) {
      return mistake(path('network'), `must be one of ${networks}`);
    }
    const key = JSON.stringify([network ?? null, tier ?? null]);
    if (seen.has(key))
      return mistake(path(tier === undefined ? 'network' : 'tier'), 'stands twice: one row for each network and tier');
    seen.add(key);
  }
  return undefined;
}

/**
 * Returns the first error in a payment declaration, or undefined: in itself, or in contradiction to `prices`, which are
 * all rows of the agent. Spec: Payment declaration.
 */
export function findPaymentMistake(
  payment: Record<string, unknown> | undefined,
  prices: readonly PricingRow[],
  at: readonly string[] = ['payment'],
): DeclarationMistake | undefined {
  if (payment === undefined) return undefined;
  const declared = toJson(payment);
  const path = (...keys: string[]) => [...at, ...keys];
  const [error] = Value.Errors(PaymentDeclaration, declared);
  if (error) return mistake(path(...error.instancePath.split('/').slice(1), ...missingIn(error)), wording(error));
  const { modes, network, wallet, deposit } = declared as PaymentDeclaration;
  if (new Set(modes).size < modes.length) return mistake(path('modes'), 'names a mode twice');
  const paid = prices.filter(isPaidRow);
  if (modes.length === 0 && paid.length > 0)
    return mistake(path('modes'), 'must name x402, deposit or both where a price is in lamports');
  if (network !== undefined && !isKnownNetwork(network)) return mistake(path('network'), `must be one of ${networks}`);
  if (wallet !== undefined && !isBase58OfLength(32, wallet))
    return mistake(path('wallet'), 'must be the base58 address of a wallet: 32 bytes');
  if (deposit !== undefined && !modes.includes('deposit'))
    return mistake(path('modes'), 'must name deposit where `deposit` says how');
  const asked = new Set(paid.map((row) => row.network ?? network ?? LOCAL_NETWORK));
  if (network !== undefined && asked.size > 0 && !asked.has(network)) {
    return mistake(
      path('network'),
      `is ${network}, which no price is asked on: add a row for it, or name one of ${[...asked].join(', ')}`,
    );
  }
  return undefined;
}

type Declared = { network?: unknown } | undefined;

const isFree = ({ currency, amount }: PricingRow) => currency === 'free' || amount === 0;
const getNetwork = (row: PricingRow, payment: Declared) =>
  row.network ?? (typeof payment?.network === 'string' ? payment.network : LOCAL_NETWORK);
const describeMissingNetwork = (network: string) =>
  `${network} is not configured on this machine (MESHD_SOLANA_${network.replace('solana:', '').toUpperCase()}_URL)`;

/** Whether a price row costs nothing, or can be charged: lamports on a network of `networks`. */
export const isChargeable = (row: PricingRow, payment: Declared, networks: readonly string[]) =>
  isFree(row) || (isPaidRow(row) && networks.includes(getNetwork(row, payment)));

/**
 * Returns the first row of a price of which no row can be charged, or undefined. Each tier is a price of its own.
 * `networks` are those that are configured. Spec: Pricing row.
 */
export function findUnchargeable(
  pricing: PricingRow | readonly PricingRow[] | undefined,
  payment: Declared,
  networks: readonly string[],
  at: readonly string[] = ['pricing'],
): DeclarationMistake | undefined {
  const rows = priceRows(pricing);
  for (const [index, row] of rows.entries()) {
    const isOfTier = ({ tier }: PricingRow) => tier === row.tier;
    if (rows.some((other) => isOfTier(other) && isChargeable(other, payment, networks))) continue;
    const path = [...at, ...(Array.isArray(pricing) ? [String(index)] : [])];
    return isPaidRow(row)
      ? mistake([...path, 'network'], `cannot be charged: ${describeMissingNetwork(getNetwork(row, payment))}`)
      : mistake([...path, 'currency'], `cannot be charged: ${row.currency} has no rate here; name a price in lamports`);
  }
  return undefined;
}

/** Returns the rows in lamports that are left out of card and challenge, because their network is not configured. */
export function listLeftOutRows(
  pricing: PricingRow | readonly PricingRow[] | undefined,
  payment: Declared,
  networks: readonly string[],
  at: readonly string[] = ['pricing'],
): DeclarationMistake[] {
  return priceRows(pricing).flatMap((row, index) => {
    if (!isPaidRow(row) || isChargeable(row, payment, networks)) return [];
    const path = [...at, ...(Array.isArray(pricing) ? [String(index)] : []), 'network'];
    return [mistake(path, `is left out of the card: ${describeMissingNetwork(getNetwork(row, payment))}`)];
  });
}

type SchemaError = ReturnType<typeof Value.Errors>[number];

function missingIn({ params }: SchemaError): string[] {
  return (params as { requiredProperties?: string[] }).requiredProperties?.slice(0, 1) ?? [];
}

function wording({ keyword, message, params }: SchemaError): string {
  if (keyword === 'required') return 'is required';
  const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
  return allowed === undefined ? message : `must be one of ${allowed.join(', ')}`;
}

/** A declaration as serialized for the wire: numbers that JSON cannot represent become null. */
export const toJson = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

/**
 * Returns the rows of `prices` with their networks: a paid row without one takes it from the declaration, else the
 * local network.
 */
export function withNetworks(prices: readonly PricingRow[], payment: { network?: string } | undefined): PricingRow[] {
  return prices.map((row) =>
    isPaidRow(row) && row.network === undefined ? { ...row, network: payment?.network ?? LOCAL_NETWORK } : row,
  );
}
