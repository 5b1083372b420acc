/** The board (slug) and post (id) that a message refers to. */
export interface Scope {
  board?: string;
  ref?: string;
}

interface ScopeLookup {
  isBoard(slug: string): boolean;
  isPost(id: string): boolean;
}

const POST_ID = /^p_[0-9a-f]{16}$/;
const SLUG = /^[a-z0-9][a-z0-9-]{0,39}$/;
/**
 * A hashtag must not follow a letter, a digit, or a character of a URL or entity. The lookahead takes all of it at
 * once, so that no part of a longer word counts.
 */
const HASHTAG = /(?<![\p{L}\p{N}_#&/])#(?=([a-z0-9][a-z0-9_-]*))\1(?![\p{L}\p{N}])/gu;
const ADDRESS = /\b(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.)\S+/gi;
/** Maximum number of distinct hashtags of one message that are looked up. */
const LOOKED_UP_MAX = 32;

/**
 * The board and the post named by the hashtags of `text`: the first hashtag that is a board of the cluster, and the
 * first that is a post. Other hashtags, and those within a URL or a code span, stay plain text. At most 32 are looked
 * up. Spec: Hashtag scoping.
 */
export function parseScope(text: string, { isBoard, isPost }: ScopeLookup): Scope {
  const scope: Scope = {};
  if (!text.includes('#')) return scope;
  const seen = new Set<string>();
  for (const [, name = ''] of plainText(text).matchAll(HASHTAG)) {
    const tag = name.replace(/(?<![_-])[_-]+$/, '');
    if (seen.has(name) || (scope.board !== undefined && scope.ref !== undefined) || seen.size === LOOKED_UP_MAX)
      continue;
    seen.add(name);
    if (POST_ID.test(tag)) {
      if (scope.ref === undefined && isPost(tag)) scope.ref = tag;
    } else if (scope.board === undefined) {
      const slug = [...new Set([name, tag])].find((one) => SLUG.test(one) && isBoard(one));
      if (slug !== undefined) scope.board = slug;
    }
  }
  return scope;
}

/** Replaces every code span and URL in `text` with a space. */
function plainText(text: string): string {
  return withoutCode(text).replace(ADDRESS, ' ');
}

/**
 * Removes code spans. A code span extends from a run of backticks to the next run of the same length; a run without a
 * match is plain text. Runs in linear time, whatever the number of runs.
 */
function withoutCode(text: string): string {
  if (!text.includes('`')) return text;
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ index, length: run.length }));
  const later = new Map<number, number[]>();
  for (const [at, { length }] of [...runs.entries()].reverse()) {
    const same = later.get(length);
    if (same) same.push(at);
    else later.set(length, [at]);
  }
  let plain = '';
  let from = 0;
  let next = 0;
  for (const [at, { index, length }] of runs.entries()) {
    const ends = later.get(length) as number[];
    ends.pop();
    if (at < next) continue;
    const end = ends.at(-1);
    const close = end === undefined ? undefined : runs[end];
    if (end === undefined || !close) continue;
    plain += `${text.slice(from, index)} `;
    from = close.index + close.length;
    next = end + 1;
  }
  return plain + text.slice(from);
}
