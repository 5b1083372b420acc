import type { Citation } from '../../contract/asks.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { pattern } from '../../lib/text/pattern.js';

export const ANSWER_CITATIONS_MAX = 40;
/** A longer range is quoted only by its first lines, which suffice for the check and for display. */
const QUOTE_LINES_MAX = 12;
/** Limit of places per answer. Further places are ignored. */
const PLACES_MAX = 200;
const LINE_MAX = 10_000_000;
const PATH_MAX_CHARS = 300;

/** A place in the project that an answer names. */
interface NamedPlace {
  path: string;
  startLine: number;
  endLine: number;
}

/** Reads lines of a project file, fewer if it ends earlier. Returns undefined when the file may not be read. */
type ReadLines = (path: string, startLine: number, endLine: number) => Promise<readonly string[] | undefined>;

/** The patterns have no ambiguous repetition, so that matching takes time proportional to the length of the answer. */
const ROUTE = String.raw`[\p{L}\p{N}_.$-]{1,60}`;
const PATH_STEPS = [
  String.raw`[\p{L}\p{N}_.@~+-]|\/(?!\/)`,
  // Parameters of routes: `[id]`, `$id`.
  String.raw`\[(?=${ROUTE}\])|(?<=\[${ROUTE})\]|(?<=[\/._])\$(?=[\p{L}.])`,
  // Groups of routes: a folder `(auth)`.
  String.raw`(?<=\/)\((?=${ROUTE}\)\/)|(?<=\/\(${ROUTE})\)(?=\/)`,
];
const PATH = `(?<path>(?:${PATH_STEPS.join('|')}){1,${PATH_MAX_CHARS}})`;
/** A path begins neither within another nor at the parentheses of its groups. Else each of them would be a start. */
const NOT_WITHIN = String.raw`(?<![\p{L}\p{N}_.@~+/\\:\[\]?&=%#$-]|\/\()(?!(?<=\))\/)`;
const NUMBER = String.raw`\d{1,8}`;
const DASH = String.raw`\s?[-–—]\s?`;
const PATTERNS = [
  // path#L10-L20, as used by code hosting sites; also #10.
  new RegExp(
    String.raw`${NOT_WITHIN}${PATH}#L?(?<start>${NUMBER})(?:C\d+)?(?:-L?(?<end>${NUMBER})(?:C\d+)?)?(?![\p{L}\p{N}_])`,
    'gu',
  ),
  // path:10, path:10-20, path:L10-L20, path:10:5 (with a column).
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
/** `docs/My Guide.md:3`: a path with blanks has to stand between backticks, and its first blank in a folder. */
const WITH_BLANKS = new RegExp(
  String.raw`\u0060(?<path>[^\s\u0060]{1,100}\/[^\s\u0060/.]{1,100}(?: [^\s\u0060]{1,100}){1,8})` +
    String.raw`[:#]L?(?<start>${NUMBER})(?:[-–—]L?(?<end>${NUMBER})|:${NUMBER})?\u0060`,
  'gu',
);
const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s)>\]"'`]+|\bmailto:\S+/giu;

/**
 * Returns the distinct places that `answer` names, in order: `path:line`, `path:start-end`, `path#L10-L20`, `(path,
 * lines 10-20)`, also in links and quotes.
 */
export function placesIn(answer: string): NamedPlace[] {
  // What is read is blanked instead of removed, so that offsets do not change.
  const blanked = (part: string) => ' '.repeat(part.length);
  const text = answer.replace(URLS, blanked);
  const found: { at: number; place: NamedPlace }[] = [];
  const find = (pattern: RegExp, within: string) => {
    for (const match of within.matchAll(pattern)) {
      const place = getPlace(match.groups ?? {});
      if (place) found.push({ at: match.index, place });
    }
  };
  find(WITH_BLANKS, text);
  const rest = text.replace(WITH_BLANKS, blanked);
  for (const pattern of PATTERNS) find(pattern, rest);
  found.sort((a, b) => a.at - b.at);
  const places = new Map(found.map(({ place }) => [createKey(place), place]));
  return [...places.values()].slice(0, PLACES_MAX);
}

/**
 * Returns the first 40 citations of an answer: its places with the lines currently in the files, for `Knowledge.check`
 * to confirm. A range beyond the end of its file is cut. `unknown` counts the places that do not exist.
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
    // A blank range exists but has no text to check.
    if (!/\S/.test(quote)) continue;
    const endLine = startLine + Math.min(lines.length, QUOTE_LINES_MAX) - 1;
    citations.set(createKey({ path, startLine, endLine }), {
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

const createKey = ({ path, startLine, endLine }: NamedPlace) => `${path}:${startLine}-${endLine}`;

function getPlace({ path: written = '', start, end }: Record<string, string | undefined>): NamedPlace | undefined {
  const path = written.replace(/^(?:\.\/)+/, '');
  if (!isFileName(path)) return undefined;
  const startLine = Number(start);
  const last = end === undefined ? startLine : Number(end);
  if (startLine < 1 || startLine > LINE_MAX || last > LINE_MAX) return undefined;
  return { path, startLine, endLine: Math.max(startLine, last) };
}

/** File names without an extension. */
const BARE_NAMES =
  /^(?:(?:make|docker|just|proc|gem|rake|jenkins|vagrant|brew|pod)file|licen[cs]e|readme|changelog|codeowners|notice|authors|copying)$/i;

const HOST = pattern`
  ^(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|(?:www|api)\..+
    |.+\.(?:com|org|net|io|dev|invalid|local|localhost|test|example))$
`;

/**
 * Whether this could be a file: a name with an extension that starts with a letter, or a name in a folder. Excludes
 * times (`12:30`), versions (`v1.2:3`), ratios, hosts with a port, and words before a number.
 */
function isFileName(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return false;
  // Lower case: `MyApp.Test` and `Lucene.Net` are folders.
  if (HOST.test(parts[0] ?? '')) {
    return false;
  }
  if (
    /^[^\p{L}_]*[\p{L}_].*\.[\p{L}][\p{L}\p{N}_-]{0,15}$|^\.[\p{L}][\p{L}\p{N}_.-]+$|^[\p{L}_[][^.]*\.[\p{L}]/u.test(
      name,
    ) &&
    !/^v?\d+\.\d/.test(name)
  )
    return true;
  return BARE_NAMES.test(name) || (parts.length > 1 && /\p{L}/u.test(name) && /\p{L}/u.test(parts[0] ?? ''));
}
