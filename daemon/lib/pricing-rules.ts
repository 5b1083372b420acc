import Value from 'typebox/value';
import { LOCAL_NETWORK, NETWORKS, PaymentDeclaration } from '../contract/payments.js';
import type { PricingRow } from '../contract/team.js';
import { isBase58OfLength } from './base58.js';

/** What is wrong with a price or a payment declaration, and where. */
export interface DeclarationMistake {
  /** Steps into the file or the card. */
  path: string[];
  /** A whole sentence that names the field. */
  reason: string;
}

const CURRENCIES = ['free', 'lamports', 'USD'];
const networks = NETWORKS.join(', ');
const isKnownNetwork = (network: string) => (NETWORKS as readonly string[]).includes(network);

const mistake = (path: string[], said: string): DeclarationMistake => ({
  path,
  reason: `\`${path.join('.')}\` ${said}.`,
});

/** The rows of a price that is one row or several; none when there is no price. */
export function priceRows(pricing: PricingRow | readonly PricingRow[] | undefined): PricingRow[] {
  return pricing === undefined ? [] : [pricing as PricingRow].flat();
}

/** Whether a call of this row is settled here: lamports, and more than none. */
export const isPaidRow = ({ currency, amount }: PricingRow) => currency === 'lamports' && amount > 0;

/**
 * The first thing that keeps a price from being asked as it is declared; `at` is where it stands. Amounts of lamports are safe integers, paid rows name a
 * network that is known (or leave it to `payment`), and no network has two rows of one tier. Spec: Pricing row.
 */
export function findPricingMistake(
  pricing: PricingRow | readonly PricingRow[] | undefined,
  at: readonly string[] = ['pricing'],
): DeclarationMistake | undefined {
  const seen = new Set<string>();
  for (const [index, { amount, currency, network, tier }] of priceRows(pricing).entries()) {
    const path = (key: string) => [...at, ...(Array.isArray(pricing) ? [String(index)] : []), key];
    if (!CURRENCIES.includes(currency)) return mistake(path('currency'), `must be one of ${CURRENCIES.join(', ')}`);
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
 * The first thing that keeps a payment declaration from being what it says, beside the prices that it is about; `prices` are all rows of the agent.
 * Spec: Payment declaration.
 */
export function findPaymentMistake(
  payment: Record<string, unknown> | undefined,
  prices: readonly PricingRow[],
  at: readonly string[] = ['payment'],
): DeclarationMistake | undefined {
  if (payment === undefined) return undefined;
  const declared = asJson(payment);
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

type SchemaError = ReturnType<typeof Value.Errors>[number];

function missingIn({ keyword, params }: SchemaError): string[] {
  const [first] =
    keyword === 'required' ? ((params as { requiredProperties?: string[] }).requiredProperties ?? []) : [];
  return first === undefined ? [] : [first];
}

function wording({ keyword, message, params }: SchemaError): string {
  if (keyword === 'required') return 'is required';
  const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
  return keyword === 'enum' && allowed ? `must be one of ${allowed.join(', ')}` : message;
}

/** A declaration as it goes over the wire: numbers that JSON does not know are null. */
export const asJson = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

/** The rows of `prices` with the network that each is asked on, filled in from the declaration where a paid row leaves it out. */
export function withNetworks(prices: readonly PricingRow[], payment: { network?: string } | undefined): PricingRow[] {
  return prices.map((row) =>
    isPaidRow(row) && row.network === undefined ? { ...row, network: payment?.network ?? LOCAL_NETWORK } : row,
  );
}
