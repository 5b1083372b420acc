import { fitsNamePattern } from '../../../lib/text/path-pattern.js';
import { withoutTrailingSlashes } from '../../../lib/text/trailing-slashes.js';

/**
 * Returns a predicate for paths that match `pattern`. A plain folder or file path matches itself and everything under
 * it. `*` matches any text within a name, `**` any folders, `?` one character. A pattern without `/` is matched against
 * the last path segment. Time is at most proportional to the product of both lengths.
 */
export function pathFilter(pattern: string): (path: string) => boolean {
  const plain = withoutTrailingSlashes(pattern.replace(/^(?:\.\/)+/, ''));
  if (plain === '' || plain === '.') return () => true;
  if (!/[*?]/.test(plain)) return (path) => path === plain || path.startsWith(`${plain}/`);
  const parts = plain.split('/');
  if (parts.length === 1) return (path) => fitsNamePattern(path.slice(path.lastIndexOf('/') + 1), plain);
  return (path) => fitsParts(path.split('/'), parts);
}

/** Dynamic programming: after part j, `reached` holds every count of first names that the first j parts match. */
function fitsParts(names: readonly string[], parts: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    if (part === '**') for (let count = Math.min(...reached); count <= names.length; count += 1) next.add(count);
    else {
      for (const count of reached) {
        const name = names[count];
        if (name !== undefined && fitsNamePattern(name, part)) next.add(count + 1);
      }
    }
    reached = next;
  }
  return reached.has(names.length);
}
