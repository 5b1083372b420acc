import type { SearchBody, SearchFilters } from '../../../daemon/contract/network/oracle.js';
import { shellQuoted } from '../../lib/shell-words.js';
import type { FindSearch } from './find-search.js';

export const DEFAULT_PAGE = 20;

/** Maps the daemon's filter names to the query parameters. */
export const FILTER_KEYS = {
  online_only: 'online',
  capability: 'capability',
  tags: 'tags',
  category: 'category',
  protocols: 'protocols',
  input_mode: 'input',
  output_mode: 'output',
  max_price: 'price',
  country: 'country',
} as const satisfies Partial<Record<keyof SearchFilters, keyof FindSearch>>;
export type Constraint = keyof typeof FILTER_KEYS;

/** All filters but `online`. */
const NARROWING = Object.values(FILTER_KEYS).filter((key) => key !== 'online');

/** Returns how many of these filters are set. */
export const filtersSet = (search: FindSearch): number => NARROWING.filter((key) => search[key] !== undefined).length;

/** What is under *More filters*. */
const FOLDED = ['capability', 'tags', 'category', 'input', 'output', 'limit'] as const satisfies (keyof FindSearch)[];
export const foldedSet = (search: FindSearch): number => FOLDED.filter((key) => search[key] !== undefined).length;

/** Builds the request body. `cursor` continues after a page. */
export function searchBody(search: FindSearch, cursor: string): SearchBody {
  const { q, online, capability, tags, category, protocols, input, output, price, currency, country, limit } = search;
  return {
    query: q ?? '',
    filters: {
      ...(online === 'any' && { online_only: false }),
      ...(capability !== undefined && { capability }),
      ...(tags !== undefined && { tags }),
      ...(category !== undefined && { category }),
      ...(protocols !== undefined && { protocols }),
      ...(input !== undefined && { input_mode: input }),
      ...(output !== undefined && { output_mode: output }),
      ...(price !== undefined && { max_price: price, ...(currency !== undefined && { currency }) }),
      ...(country !== undefined && { country }),
      limit: limit ?? DEFAULT_PAGE,
      ...(cursor !== '' && { cursor }),
    },
    explain: true,
  };
}

const listed = (words: string | undefined): string[] =>
  (words ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const PLAIN = /^[A-Za-z0-9._/:+-]+$/;
const word = (value: string) => (PLAIN.test(value) ? value : shellQuoted(value));

/** Returns the equivalent command line. */
export function findCommand(search: FindSearch): string {
  const { q, online, capability, tags, category, protocols, input, output, price, currency, country, limit } = search;
  const options: (readonly [string, string | undefined])[] = [
    ['--capability', capability],
    ...listed(tags).map((tag) => ['--tag', tag] as const),
    ['--category', category],
    ...listed(protocols).map((protocol) => ['--protocol', protocol] as const),
    ['--input', input],
    ['--output', output],
    ['--max-price', price === undefined ? undefined : String(price)],
    ['--currency', price === undefined ? undefined : currency],
    ['--country', country],
    ['--limit', limit === undefined ? undefined : String(limit)],
  ];
  const message = options.flatMap(([option, value]) => (value === undefined ? [] : [`${option} ${word(value)}`]));
  // After `--` nothing is parsed as an option.
  const words = (q ?? '').startsWith('-') ? `-- ${shellQuoted(q ?? '')}` : shellQuoted(q ?? '');
  return ['meshd find', ...(online === 'any' ? ['--all'] : []), ...message, words].join(' ');
}
