/**
 * The query parameters of a search. An absent one sets no constraint, except that only online agents are searched
 * unless `online` is `any`.
 */
export interface FindSearch {
  q?: string | undefined;
  online?: 'any' | undefined;
  capability?: string | undefined;
  /** Comma-separated words. */
  tags?: string | undefined;
  category?: string | undefined;
  /** Comma-separated words. */
  protocols?: string | undefined;
  input?: string | undefined;
  output?: string | undefined;
  price?: number | undefined;
  /** Currency of the price in lower case; absent for US dollars. */
  currency?: string | undefined;
  country?: string | undefined;
  limit?: (typeof PAGE_SIZES)[number] | undefined;
}

export const PAGE_SIZES = [10, 50, 100, 200] as const;
const text = (value: unknown): string | undefined => {
  const words = typeof value === 'number' ? String(value) : value;
  return typeof words === 'string' && words.trim() !== '' ? words : undefined;
};

/** Parses an amount, 0 or more; undefined for anything else. */
export function priceIn(value: unknown): number | undefined {
  const amount = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return ['string', 'number'].includes(typeof value) && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}

/** Parses the name of a currency other than US dollars; undefined for anything else. */
export function currencyIn(value: unknown): string | undefined {
  const name = text(value)?.trim().toLowerCase() ?? '';
  return /^[a-z]{2,16}$/.test(name) && name !== 'usd' ? name : undefined;
}

/** Parses a two-letter country code to upper case; undefined for anything else. */
export function countryIn(value: unknown): string | undefined {
  const code = text(value)?.trim() ?? '';
  return /^[a-z]{2}$/i.test(code) ? code.toUpperCase() : undefined;
}

/** Parses the query parameters. An invalid one is ignored. */
export function readFindSearch(search: Record<string, unknown>): FindSearch {
  return {
    q: text(search['q']),
    online: search['online'] === 'any' ? 'any' : undefined,
    capability: text(search['capability']),
    tags: text(search['tags']),
    category: text(search['category']),
    protocols: text(search['protocols']),
    input: text(search['input']),
    output: text(search['output']),
    price: priceIn(search['price']),
    currency: currencyIn(search['currency']),
    country: countryIn(search['country']),
    limit: PAGE_SIZES.find((size) => size === Number(search['limit'])),
  };
}
