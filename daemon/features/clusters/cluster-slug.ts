const MAX_CHARS = 48;

/**
 * The base of the slug for a cluster named `name`: lower-case letters, digits and single hyphens. It may already be in
 * use. Spec: Cluster identifiers.
 */
export function createSlug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^-|-$/g, '');
  return plain === '' ? 'cluster' : plain;
}
