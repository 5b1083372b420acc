import canonicalize from 'canonicalize';

/**
 * Serializes a JSON value by the JSON Canonicalization Scheme (RFC 8785). Throws for values that JSON cannot represent.
 */
export function jcs(value: unknown): string {
  const text = (canonicalize as unknown as (input: unknown) => string | undefined)(value);
  if (text === undefined) throw new TypeError('Not a JSON value.');
  return text;
}
