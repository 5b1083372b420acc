import { withoutTrailingSlashes } from '../../../lib/trailing-slashes.js';

/**
 * Whether paths fit `pattern`: a folder or file as it is written takes what is under it; `*` stands for anything within a name, `**` for any folders,
 * `?` for one character. A pattern without `/` is tried against names as well. The time grows with the product of both lengths at most.
 */
export function pathFilter(pattern: string): (path: string) => boolean {
  const plain = withoutTrailingSlashes(pattern.replace(/^(?:\.\/)+/, ''));
  if (plain === '' || plain === '.' || plain === '**') return () => true;
  if (!/[*?]/.test(plain)) return (path) => path === plain || path.startsWith(`${plain}/`);
  const parts = plain.split('/').filter((part, index, all) => part !== '**' || all[index - 1] !== '**');
  if (parts.length === 1) return (path) => fitsName(path.slice(path.lastIndexOf('/') + 1), plain);
  return (path) => fitsParts(path.split('/'), parts);
}

/** `reached[i]` after part j: the first i names can be taken by the first j parts. */
function fitsParts(names: readonly string[], parts: readonly string[]): boolean {
  let reached = new Array<boolean>(names.length + 1).fill(false);
  reached[0] = true;
  for (const part of parts) {
    const next = new Array<boolean>(names.length + 1).fill(false);
    for (let i = 0; i <= names.length; i += 1) {
      if (part === '**') next[i] = reached[i] === true || (i > 0 && next[i - 1] === true);
      else next[i] = i > 0 && reached[i - 1] === true && fitsName(names[i - 1] ?? '', part);
    }
    reached = next;
  }
  return reached[names.length] === true;
}

/** One name against one part, going back only to the last `*`. */
function fitsName(name: string, part: string): boolean {
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
