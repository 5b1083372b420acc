import { foldPath } from './fold-path.js';

/**
 * Returns why a pattern of the operator does not name files within the project, or undefined. `*` and `?` stand for
 * characters within one name.
 */
export function findPatternMistake(pattern: string): string | undefined {
  const parts = pattern.split('/');
  const shown = JSON.stringify(pattern.slice(0, 80));
  if (pattern.includes('\\') || pattern.startsWith('/') || /^[A-Za-z]:/.test(pattern))
    return `${shown} must be a path relative to the project, with "/".`;
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return `${shown} must not have empty parts, "." or "..".`;
  if (parts.includes('**')) return `${shown} must name each folder: "**" is not supported.`;
  if (parts.some((part) => foldPath(part) === '.git') || foldPath(parts[0] ?? '') === '.mesh')
    return `${shown} must not name what git or meshd keeps for itself.`;
  return undefined;
}

/** Whether a name fits one part of a pattern. */
export function fitsNamePattern(name: string, part: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    if (part[place] === '*') {
      star = place;
      starAt = at;
      place += 1;
    } else if (part[place] === '?' || part[place] === name[at]) {
      place += 1;
      at += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      place = star + 1;
    } else return false;
  }
  while (part[place] === '*') place += 1;
  return place === part.length;
}

/** Whether a path is one of `given`, or below one of them. */
export const isInOrBelow = (path: string, given: readonly string[]): boolean =>
  given.some((one) => path === one || path.startsWith(`${one}/`));
