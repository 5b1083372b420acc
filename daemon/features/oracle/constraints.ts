import type { SearchFilters } from '../../contract/network/oracle.js';
import { MeshError } from '../../lib/errors.js';
import type { PriceLimit } from './price.js';

/** The constraints of a search, in the order in which they are reported. */
export const CONSTRAINTS = [
  'online_only',
  'capability',
  'tags',
  'category',
  'protocols',
  'input_mode',
  'output_mode',
  'max_price_usd',
  'max_price',
  'country',
] as const;
export type ConstraintName = (typeof CONSTRAINTS)[number];

/** The constraints of one search, folded. A constraint that was not sent is absent. */
export interface Constraints {
  online_only: boolean;
  capability?: string;
  /** All of them must match. */
  tags?: string[];
  category?: string;
  /** One of them must match. */
  protocols?: string[];
  input_mode?: string;
  output_mode?: string;
  max_price_usd?: number;
  max_price?: PriceLimit;
  country?: string;
}

/** Parses a list, given as an array or as text with commas. Removes blanks around words, empty words and duplicates. */
function toList(words: string | readonly string[] | undefined): string[] | undefined {
  const list = (typeof words === 'string' ? words.split(',') : (words ?? []))
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
  return list.length === 0 ? undefined : [...new Set(list)];
}

const folded = (text: string | undefined) => text?.trim().toLowerCase() || undefined;

/** Returns a media type without its parameters, folded. */
export const parseMediaType = (text: string) => (text.split(';')[0] as string).trim().toLowerCase();

/** The price limit of `max_price` with its currency, by default US dollars. Throws `bad_request` for a currency alone. */
function toLimit({ max_price, currency }: Pick<SearchFilters, 'max_price' | 'currency'>): PriceLimit | undefined {
  if (max_price !== undefined) return { amount: max_price, currency: (currency ?? 'usd').toLowerCase() };
  if (currency === undefined) return undefined;
  throw new MeshError('bad_request', `The currency ${currency} needs \`max_price\`, the most that a call may cost.`, {
    details: { path: 'filters.max_price' },
  });
}

/**
 * Normalizes the filters of a search for comparison: case-insensitive, and `online_only` by default. Throws
 * `bad_request` for a currency without a price.
 */
export function createConstraints(filters: Omit<SearchFilters, 'limit' | 'cursor'>): Constraints {
  const all = {
    capability: folded(filters.capability),
    tags: toList(filters.tags),
    category: folded(filters.category),
    protocols: toList(filters.protocols),
    input_mode: filters.input_mode === undefined ? undefined : parseMediaType(filters.input_mode) || undefined,
    output_mode: filters.output_mode === undefined ? undefined : parseMediaType(filters.output_mode) || undefined,
    max_price_usd: filters.max_price_usd,
    max_price: toLimit(filters),
    country: filters.country?.toUpperCase(),
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { online_only: filters.online_only ?? true, ...given };
}
