const MAX_CHARS = 48;

/** What the slug of a cluster called `name` begins with: lower-case letters, digits and single hyphens. Others may have it already. Spec: Cluster identifiers. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^-+|(?<!-)-+$/g, '');
  return plain === '' ? 'cluster' : plain;
}
