/**
 * The revision that an `If-Match` header asks for: quoted, bare, or with a weak mark. Undefined when there is no header, or `*`, which any
 * file meets.
 */
export function expectedRevision(header: string | undefined): string | undefined {
  const value = header?.trim();
  if (value === undefined || value === '' || value === '*') return undefined;
  return value.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}
