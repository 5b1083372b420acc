export type QueryValues = Record<string, string | number | undefined>;

/** Builds `?a=1&b=2` without undefined and empty values. */
export function query(values: QueryValues): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(values))
    if (value !== undefined && value !== '') search.set(key, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
