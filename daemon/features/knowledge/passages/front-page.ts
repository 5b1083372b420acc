import { plainText, shortened, splitSentences } from '../sentences.js';
import { getFileRole } from './file-worth.js';

const BLOCK_MAX_LINES = 8;
/** A longer line is not prose that a person wrote. */
const LINE_MAX_CHARS = 2_000;
const BLOCKS_MAX = 8;
const MANUAL_NAME_LINES = 4;

/** Lines of a front page to quote, counted from 1. */
export interface FrontLines {
  path: string;
  startLine: number;
  endLine: number;
  lines: readonly string[];
  title: string;
  isCode: boolean;
}

/** A page of the manual, whose first section says in one line what the program is. */
const MANUAL = /(?:^|\/)[\w.-]+\.[1-8](?:\.in)?$/;
/** Folders whose README is about something beside the project. */
const ASIDE = /^(?:logo|img|images|assets|contrib|tools|scripts|test\w*|examples?|debian|packaging|po|icons?)\//i;

/** Returns the files in which a project of these names describes itself and its commands, most informative first. */
export function frontPages(paths: Iterable<string>, names: readonly string[] = []): string[] {
  const isManual = (path: string) => MANUAL.test(path) && names.includes(path.replace(/^.*\//, '').split('.')[0] ?? '');
  const rank = (path: string) => {
    const depth = path.split('/').length - 1;
    const role = getFileRole(path);
    if (depth === 0 && role === 'readme') return /\.(?:md|markdown)$/i.test(path) ? 0 : 1;
    if (depth === 0 && role === 'manifest') return 2;
    if (depth === 0 && /^(?:contributing|install|hacking|development|usage)/i.test(path)) return 3;
    if (depth <= 2 && /(?:^|\/)docs?\/(?:index|readme|introduction|getting-started)\.[a-z]+$/i.test(path)) return 4;
    if (depth <= 2 && isManual(path)) return 5;
    return depth === 1 && role === 'readme' && !ASIDE.test(path) ? 6 : 9;
  };
  return [...paths].filter((path) => rank(path) < 9).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/**
 * Returns the project's description of itself: the first paragraphs of its README, and the description in its manifest.
 */
export function introduction(
  pages: readonly string[],
  splitLines: (path: string) => readonly string[] | undefined,
): FrontLines[] {
  const found: FrontLines[] = [];
  for (const path of pages) {
    const lines = splitLines(path) ?? [];
    if (getFileRole(path) === 'manifest') found.push(...described(path, lines));
    else if (MANUAL.test(path)) found.push(...manualName(path, lines));
    else if (!found.some((one) => !one.isCode && !MANUAL.test(one.path)))
      found.push(...paragraphs(path, lines).slice(0, BLOCKS_MAX));
  }
  return found;
}

const OF_ITSELF = /^(?:this|it) (?:\w+ )?(?:is|provides|contains|implements)\b|^welcome to\b/i;
const SAYS_WHAT = '(?:is|are|provides|helps|lets|allows|enables|implements|gives|makes|offers|adds|brings)';

/** Whether a paragraph says what the project is, by one of its names or as `this`. */
export function saysWhatItIs({ lines }: FrontLines, names: readonly string[]): boolean {
  const text = plainText(lines.join('\n')).trim();
  const named = names.map((name) => name.replaceAll(/[^\w]/g, '.')).join('|');
  return (
    OF_ITSELF.test(text) ||
    (named !== '' && new RegExp(`^(?:the )?\\W?(?:${named})\\b.{0,40}?(?: -|,| ${SAYS_WHAT}\\b)`, 'i').test(text))
  );
}

/** Returns the one or two sentences that introduce a project. */
export function introducingSentence({ lines, isCode }: FrontLines): string {
  if (isCode) return valueIn(lines[0]?.trim().replace(/^["']?[\w-]+["']?\s*=/, ':') ?? '');
  const [first = '', second] = splitSentences(plainText(lines.join('\n')));
  return shortened(second !== undefined && first.length < 110 ? `${first} ${second}` : first);
}

/** Returns the line of a manual page that names the program and says what it is. */
function manualName(path: string, lines: readonly string[]): FrontLines[] {
  const heading = lines.findIndex((line) => /^\.S[Hh]\s+"?NAME/i.test(line));
  const at = heading < 0 ? -1 : lines.findIndex((line, index) => index > heading && /\S \\?-|^\.Nd /.test(line));
  if (at < 0 || at > heading + MANUAL_NAME_LINES) return [];
  return [
    {
      path,
      startLine: at + 1,
      endLine: at + 1,
      lines: [manualText(lines[at] as string)],
      title: 'NAME',
      isCode: false,
    },
  ];
}

/** The text of a line of a manual page without its markup. */
const manualText = (line: string) =>
  line
    .replace(/^\.\w+\s+/, '')
    .replaceAll(/\\f[A-Z]/g, '')
    .replaceAll('\\-', '-');

/** Returns the text after the first colon, without surrounding quotes and a trailing comma. */
function valueIn(line: string): string {
  const at = line.indexOf(':');
  if (at === -1) return '';
  return line
    .slice(at + 1)
    .trim()
    .replace(/^["']/, '')
    .replace(/["']?,?$/, '');
}

const DESCRIPTION = /^\s*["']?description["']?\s*[:=]\s*["'][^"']{8,}/;

function described(path: string, lines: readonly string[]): FrontLines[] {
  const pattern = /\.py$/.test(path) ? /^\s*description=["'][^"']{8,}/ : DESCRIPTION;
  const at = lines.findIndex((line) => pattern.test(line));
  return at < 0
    ? []
    : [{ path, startLine: at + 1, endLine: at + 1, lines: [lines[at] as string], title: 'description', isCode: true }];
}

function paragraphs(path: string, lines: readonly string[]): FrontLines[] {
  const found: FrontLines[] = [];
  let isFenced = false;
  let title = '';
  let from = -1;
  const end = (to: number) => {
    const own = from < 0 ? [] : lines.slice(from, Math.min(to, from + BLOCK_MAX_LINES));
    const text = own.some((line) => line.length > LINE_MAX_CHARS)
      ? ''
      : plainText(own.join('\n')).replace(/\[[^\][]*\]:\s*\S+/g, '');
    const links = own.filter((line) => /^\s*(?:[-*+]|\d+[.)])\s+\[[^\]]*\]\([^)]*\)/.test(line)).length;
    const isContents = own.length > 1 && links > own.length / 2;
    // Skips blocks of badges, images and bare links, which contain no sentence.
    if (
      !isContents &&
      text.replace(/https?:\S+/g, '').split(' ').length >= 6 &&
      !own.some((line) => /^\s*<|^\s*\[?!\[|^\s*\[[^\]]+\]:/.test(line))
    ) {
      found.push({ path, startLine: from + 1, endLine: from + own.length, lines: own, title, isCode: false });
    }
    from = -1;
  };
  lines.forEach((line, index) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFenced || isFence || !/\S/.test(line) || /^\s*#{1,6}\s|^[=-]{3,}\s*$/.test(line)) {
      end(index);
      if (isFence) isFenced = !isFenced;
      const heading = isFenced ? undefined : /^\s*#{1,6}\s+(.*)/.exec(line)?.[1];
      if (heading !== undefined) title = plainText(heading.trimEnd().replace(/(?<!#)#+$/, ''));
    } else if (from < 0) {
      from = index;
    }
  });
  end(lines.length);
  return found;
}
