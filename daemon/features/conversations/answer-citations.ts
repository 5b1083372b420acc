import type { Citation } from '../../contract/asks.js';
import { sha256Hex } from '../../lib/digests.js';

export const ANSWER_CITATIONS_MAX = 40;
/** A longer range is quoted by its start: enough to check it, and to show. */
const QUOTE_LINES_MAX = 12;
/** Places that are looked at; an answer that names more is not read for them. */
const PLACES_MAX = 200;
const LINE_MAX = 10_000_000;
const PATH_MAX_CHARS = 300;

/** A place of the project as an answer names it. */
export interface NamedPlace {
  path: string;
  startLine: number;
  endLine: number;
}

/** Lines of a project file, or undefined when no such file may be read; fewer than were asked for when the file ends before. */
export type ReadLines = (path: string, startLine: number, endLine: number) => Promise<readonly string[] | undefined>;

/** Nothing in these can go on for long in more than one way: the time grows with the length of the answer. */
const PATH = String.raw`(?<path>(?:[\p{L}\p{N}_.@~+-]|\/(?!\/)|\[(?=[\p{L}\p{N}_.$-]{1,60}\])|(?<=\[[\p{L}\p{N}_.$-]{1,60})\]){1,${PATH_MAX_CHARS}})`;
const NOT_WITHIN = String.raw`(?<![\p{L}\p{N}_.@~+/\\:\[\]?&=%#$-])`;
const NUMBER = String.raw`\d{1,8}`;
const DASH = String.raw`\s?[-–—]\s?`;
const PATTERNS = [
  // path#L10-L20, as forges write it; also #10.
  new RegExp(
    String.raw`${NOT_WITHIN}${PATH}#L?(?<start>${NUMBER})(?:C\d+)?(?:-L?(?<end>${NUMBER})(?:C\d+)?)?(?![\p{L}\p{N}_])`,
    'gu',
  ),
  // path:10, path:10-20, path:L10-L20, path:10:5 (a column).
  new RegExp(
    String.raw`${NOT_WITHIN}${PATH}:L?(?<start>${NUMBER})(?:[-–—]L?(?<end>${NUMBER})|:${NUMBER})?(?![\p{L}\p{N}_/]|[.:]\d)`,
    'gu',
  ),
  // (path, lines 10-20), `path` line 10, path (lines 10 to 20).
  new RegExp(
    String.raw`${NOT_WITHIN}${PATH}[\u0060*_"'\])]{0,3},?\s{1,2}\(?(?:at\s|on\s)?(?:lines?|ll?\.)\s?L?(?<start>${NUMBER})(?:(?:${DASH}|\sto\s|\sthrough\s)L?(?<end>${NUMBER}))?(?![\p{L}\p{N}_])`,
    'giu',
  ),
];
const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s)>\]"'`]+|\bmailto:\S+/giu;

/** The places that `answer` names, in its order, each once: `path:line`, `path:start-end`, `path#L10-L20`, `(path, lines 10-20)`, in links and in quote marks. */
export function placesIn(answer: string): NamedPlace[] {
  // Addresses are blanked, not removed, so that what stands beside them stays where it is.
  const text = answer.replace(URLS, (url) => ' '.repeat(url.length));
  const found: { at: number; place: NamedPlace }[] = [];
  for (const pattern of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const place = placeOf(match.groups ?? {});
      if (place) found.push({ at: match.index, place });
    }
  }
  found.sort((a, b) => a.at - b.at);
  const places = new Map(found.map(({ place }) => [keyOf(place), place]));
  return [...places.values()].slice(0, PLACES_MAX);
}

/**
 * The citations that an answer makes: its places with the lines that stand there now, the first 40, for `Knowledge.check` to confirm. A range that ends after
 * its file is cut to it. `unknown` counts the places that are not there.
 */
export async function citationsIn(
  answer: string,
  readLines: ReadLines,
): Promise<{ citations: Citation[]; unknown: number }> {
  const citations = new Map<string, Citation>();
  let unknown = 0;
  for (const place of placesIn(answer)) {
    if (citations.size >= ANSWER_CITATIONS_MAX) break;
    const { path, startLine } = place;
    const lines = await readLines(path, startLine, Math.min(place.endLine, startLine + QUOTE_LINES_MAX - 1));
    const quote = lines?.slice(0, QUOTE_LINES_MAX).join('\n') ?? '';
    if (!lines || lines.length === 0) {
      unknown += 1;
      continue;
    }
    // A blank place is there, but says nothing that could be checked.
    if (!/\S/.test(quote)) continue;
    const endLine = startLine + Math.min(lines.length, QUOTE_LINES_MAX) - 1;
    citations.set(keyOf({ path, startLine, endLine }), {
      path,
      start_line: startLine,
      end_line: endLine,
      commit: null,
      sha256: sha256Hex(quote),
      quote,
      status: 'dropped',
    });
  }
  return { citations: [...citations.values()], unknown };
}

const keyOf = ({ path, startLine, endLine }: NamedPlace) => `${path}:${startLine}-${endLine}`;

function placeOf({ path: written = '', start, end }: Record<string, string | undefined>): NamedPlace | undefined {
  const path = written.replace(/^(?:\.\/)+/, '');
  if (!isFileName(path)) return undefined;
  const startLine = Number(start);
  const last = end === undefined ? startLine : Number(end);
  if (startLine < 1 || startLine > LINE_MAX || last > LINE_MAX) return undefined;
  return { path, startLine, endLine: Math.max(startLine, last) };
}

/** Names without an extension that projects have anyway. */
const BARE_NAMES =
  /^(?:(?:make|docker|just|proc|gem|rake|jenkins|vagrant|brew|pod)file|licen[cs]e|readme|changelog|codeowners|notice|authors|copying)$/i;

/**
 * Whether this could be a file: a name with an extension that begins with a letter, or one of a folder. Times (`12:30`), versions (`v1.2:3`), ratios, hosts
 * with a port and words before a number are not.
 */
function isFileName(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return false;
  if (
    /^(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|(?:www|api)\..+|.+\.(?:com|org|net|io|dev|invalid|local|localhost|test|example))$/i.test(
      parts[0] ?? '',
    )
  ) {
    return false;
  }
  if (
    /^[^\p{L}_]*[\p{L}_].*\.[\p{L}][\p{L}\p{N}_-]{0,15}$|^\.[\p{L}][\p{L}\p{N}_.-]+$|^[\p{L}_[][^.]*\.[\p{L}]/u.test(
      name,
    ) &&
    !/^v?\d+(?:\.\d+)+/.test(name)
  )
    return true;
  return BARE_NAMES.test(name) || (parts.length > 1 && /\p{L}/u.test(name) && /\p{L}/u.test(parts[0] ?? ''));
}
