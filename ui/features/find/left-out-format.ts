import type { SearchResult } from '../../../daemon/contract/network/oracle.js';
import { type Constraint, FILTER_KEYS } from './find-filters.js';
import type { FindSearch } from './find-search.js';

/** The agents that a filter excluded, and the search without the filter. */
export interface LeftOut {
  key: string;
  count: number;
  said: string;
  /** Label of the button that removes the filter. */
  loosen: string;
  without: FindSearch;
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
const agents = (count: number) => (count === 1 ? '1 agent' : `${count.toLocaleString('en')} agents`);

/** How each filter excludes agents, for the given search. */
const taken: Record<Constraint, (search: FindSearch) => { said: string; loosen: string }> = {
  online_only: () => ({ said: 'offline', loosen: 'Include offline agents' }),
  capability: ({ capability }) => ({ said: `without the capability “${capability}”`, loosen: 'Any capability' }),
  tags: ({ tags }) => ({
    said: `without ${(tags ?? '').includes(',') ? 'all the tags' : 'the tag'} “${tags}”`,
    loosen: 'Any tags',
  }),
  category: ({ category }) => ({ said: `not in the category “${category}”`, loosen: 'Any category' }),
  protocols: ({ protocols }) => ({ said: `without the protocol “${protocols}”`, loosen: 'Any protocol' }),
  input_mode: ({ input }) => ({ said: `does not accept “${input}”`, loosen: 'Any input' }),
  output_mode: ({ output }) => ({ said: `does not produce “${output}”`, loosen: 'Any output' }),
  max_price: ({ price = 0, currency }) => ({
    said: `price above ${currency === undefined ? dollars.format(price) : `${price.toLocaleString('en')} ${currency}`}`,
    loosen: 'Any price',
  }),
  country: ({ country }) => ({ said: `not in ${country}`, loosen: 'Any country' }),
};

/** Why a filter could not be applied to an agent. */
const lacks: Record<string, string> = {
  no_category: 'without a category',
  no_protocols: 'without a protocol',
  no_accepts: 'without accepted types',
  no_produces: 'without produced types',
  no_price: 'not comparable, without a price',
  no_lamports_rate: 'not comparable, priced in lamports, which have no rate here (MESHD_LAMPORTS_USD)',
  unknown_currency: 'not comparable, priced in a currency without a rate (MESHD_RATES)',
  no_rate_of_limit: 'not comparable, the currency you typed has no rate here (MESHD_RATES, MESHD_LAMPORTS_USD)',
  no_country: 'without a country',
};

const isConstraint = (name: string): name is Constraint => Object.hasOwn(FILTER_KEYS, name);

function without(search: FindSearch, constraint: Constraint): FindSearch {
  return constraint === 'online_only'
    ? { ...search, online: 'any' }
    : { ...search, [FILTER_KEYS[constraint]]: undefined };
}

/**
 * Lists how many agents each filter excluded, the largest number first. Agents to which a filter could not be applied
 * are listed separately.
 */
export function leftOut(
  { filtered = {}, unfilterable }: Pick<SearchResult, 'filtered' | 'unfilterable'>,
  search: FindSearch,
): LeftOut[] {
  const entries: LeftOut[] = [];
  for (const [name, count] of Object.entries(filtered)) {
    if (count <= 0 || !isConstraint(name)) continue;
    const { said: text, loosen } = taken[name](search);
    entries.push({
      key: name,
      count,
      said: `${agents(count)} excluded: ${text}`,
      loosen,
      without: without(search, name),
    });
  }
  for (const { constraint, reason, dropped } of unfilterable) {
    if (dropped <= 0 || !isConstraint(constraint)) continue;
    const message = `${agents(dropped)} excluded: ${lacks[reason] ?? `not comparable (${reason})`}`;
    entries.push({
      key: `${constraint} ${reason}`,
      count: dropped,
      said: message,
      loosen: taken[constraint](search).loosen,
      without: without(search, constraint),
    });
  }
  return entries.sort((a, b) => b.count - a.count);
}
