import canonicalize from 'canonicalize';

/** The JSON Canonicalization Scheme (RFC 8785) form of a JSON value. Throws on what JSON cannot say. */
export function jcs(value: unknown): string {
  const text = (canonicalize as unknown as (input: unknown) => string | undefined)(value);
  if (text === undefined) throw new TypeError('Not a JSON value.');
  return text;
}
