import type { SearchFilters } from '../../contract/oracle.js';

/** What a search may constrain, in the order in which it is told. */
export const CONSTRAINTS = [
  'online_only',
  'capability',
  'tags',
  'category',
  'protocols',
  'input_mode',
  'output_mode',
  'max_price_usd',
  'country',
] as const;
export type ConstraintName = (typeof CONSTRAINTS)[number];

/** The constraints of one search, folded; absent ones are absent. */
export interface Constraints {
  online_only: boolean;
  capability?: string;
  /** All of them. */
  tags?: string[];
  category?: string;
  /** Any of them. */
  protocols?: string[];
  input_mode?: string;
  output_mode?: string;
  max_price_usd?: number;
  country?: string;
}

/** Lists come as they are or with commas; blanks around a word and empty words do not count. */
function listOf(words: string | readonly string[] | undefined): string[] | undefined {
  const list = (typeof words === 'string' ? words.split(',') : (words ?? []))
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
  return list.length === 0 ? undefined : [...new Set(list)];
}

const folded = (text: string | undefined) => text?.trim().toLowerCase() || undefined;

/** A media type without its parameters, folded. */
export const mediaTypeOf = (text: string) => (text.split(';')[0] as string).trim().toLowerCase();

/** The filters of a search as they are compared: without regard to case, `online_only` unless it is said otherwise. */
export function constraintsOf(filters: Omit<SearchFilters, 'limit' | 'cursor'>): Constraints {
  const all = {
    capability: folded(filters.capability),
    tags: listOf(filters.tags),
    category: folded(filters.category),
    protocols: listOf(filters.protocols),
    input_mode: filters.input_mode === undefined ? undefined : mediaTypeOf(filters.input_mode) || undefined,
    output_mode: filters.output_mode === undefined ? undefined : mediaTypeOf(filters.output_mode) || undefined,
    max_price_usd: filters.max_price_usd,
    country: filters.country?.toUpperCase(),
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { online_only: filters.online_only ?? true, ...given };
}
