import { fitsNamePattern } from '../../../lib/text/path-pattern.js';
import { withoutTrailingSlashes } from '../../../lib/text/trailing-slashes.js';

/**
 * Returns a predicate for paths that match `pattern`. A plain folder or file path matches itself and everything under
 * it. `*` matches any text within a name, `**` any folders, `?` one character. A pattern without `/` is matched against
 * the last path segment. Time is at most proportional to the product of both lengths.
 */
export function pathFilter(pattern: string): (path: string) => boolean {
  const plain = withoutTrailingSlashes(pattern.replace(/^(?:\.\/)+/, ''));
  if (plain === '' || plain === '.' || plain === '**') return () => true;
  if (!/[*?]/.test(plain)) return (path) => path === plain || path.startsWith(`${plain}/`);
  const parts = plain.split('/').filter((part, index, all) => part !== '**' || all[index - 1] !== '**');
  if (parts.length === 1) return (path) => fitsNamePattern(path.slice(path.lastIndexOf('/') + 1), plain);
  return (path) => fitsParts(path.split('/'), parts);
}

/** Dynamic programming: after part j, `reached[i]` is true if the first j parts match the first i names. */
function fitsParts(names: readonly string[], parts: readonly string[]): boolean {
  let reached = new Array<boolean>(names.length + 1).fill(false);
  reached[0] = true;
  for (const part of parts) {
    const next = new Array<boolean>(names.length + 1).fill(false);
    for (let i = 0; i <= names.length; i += 1) {
      if (part === '**') next[i] = reached[i] === true || (i > 0 && next[i - 1] === true);
      else next[i] = i > 0 && reached[i - 1] === true && fitsNamePattern(names[i - 1] ?? '', part);
    }
    reached = next;
  }
  return reached[names.length] === true;
}
