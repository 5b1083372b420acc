/**
 * Returns the revision in an `If-Match` header: quoted, bare, or with a weak prefix. Undefined without a header and for
 * `*`, which matches any file.
 */
export function expectedRevision(header: string | undefined): string | undefined {
  const value = header?.trim();
  if (value === undefined || value === '' || value === '*') return undefined;
  return value.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}
