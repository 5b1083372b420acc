import matter from 'gray-matter';
import { LineCounter } from 'yaml';
import type { Problem } from '../../contract/team.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { getOffset, getPlace, type ParsedYaml, parseYaml } from './frontmatter-yaml.js';

const FENCE = '---';
/**
 * The largest accepted product of lines and characters in one run of white space: about a thousand blank lines.
 * gray-matter searches the block for comments with a regular expression that takes that many steps.
 */
const BLANK_LIMIT = 1_000_000;

/** Offsets of the parts of a Markdown file with frontmatter. */
export interface Sections {
  /**
   * The YAML between the fences; undefined when the file has no frontmatter. `start` is the
   * offset of the opening fence.
   */
  yaml: { start: number; end: number } | undefined;
  /** Where the body starts: after the closing fence and one blank line, if there is one. */
  bodyStart: number;
  /** The line ending of the file's first line. New lines use the same one. */
  eol: '\n' | '\r\n';
}

/** A parsed Markdown file: its frontmatter as plain data, its body, and the positions of its values. */
export interface ParsedMarkdown {
  data: Record<string, unknown>;
  body: string;
  text: string;
  /** SHA-256 of the file, in hex. */
  revision: string;
  /**
   * Returns the line and column, in the file, of the value at `path`, or of the nearest enclosing value
   * when it has none of its own.
   */
  locate(path: readonly string[]): { line: number; column: number };
}

/** Returns true when `result` is the reason why something could not be read. */
export function isProblem(result: object | string): result is Problem {
  return typeof result === 'object' && 'reason' in result;
}

/** The number and the size of the files that are remembered. */
const REMEMBERED = 256;
const REMEMBERED_CHARS = 16_384;
/**
 * The data of the small files parsed last, by text: a member's file is read by the roster and by the imports at every
 * start, and again whenever imports are listed. Without their trees, which take much more memory.
 */
const remembered = new Map<string, ParsedMarkdown>();

/**
 * Parses the frontmatter and the body of a Markdown file. The frontmatter is YAML 1.2 core: no other language, no tags,
 * no duplicate or non-string keys, at most 32 aliases. Nothing in it is ever executed. A file without frontmatter is
 * all body. Returns a `Problem` with the position in the file when the file cannot be parsed.
 */
export function parseMarkdown(text: string): ParsedMarkdown | Problem {
  const known = remembered.get(text);
  const parsed = known ?? readMarkdown(text);
  if (isProblem(parsed)) return parsed;
  if (text.length > REMEMBERED_CHARS) return parsed;
  // What is remembered can be read, and is read again for a position.
  remember(known ?? { ...parsed, locate: (path) => (readMarkdown(text) as ParsedMarkdown).locate(path) });
  // Whoever changes the data changes a copy of its own.
  return { ...parsed, data: structuredClone(parsed.data) };
}

/** Keeps a file as the one read last, in place of the one that was read the longest ago. */
function remember(parsed: ParsedMarkdown): void {
  remembered.delete(parsed.text);
  remembered.set(parsed.text, parsed);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

function readMarkdown(text: string): ParsedMarkdown | Problem {
  const sections = findSections(text);
  if (isProblem(sections)) return sections;
  const lines = new LineCounter();
  const parsed = sections.yaml ? readYaml(text, sections.yaml, lines) : undefined;
  if (parsed && isProblem(parsed)) return parsed;
  return {
    data: parsed?.data ?? {},
    body: text.slice(sections.bodyStart),
    text,
    revision: sha256Hex(text),
    locate: (path) => (parsed ? getPlace(lines, getOffset(parsed.document, path)) : { line: 1, column: 1 }),
  };
}

/**
 * Options that make gray-matter read only YAML, with `parseBlock`. By default gray-matter evaluates JavaScript blocks.
 * It must always be called with options: without them it caches every result by text, shares it among callers, and
 * returns empty data when a broken text is read again.
 */
export function matterOptions(parseBlock: (block: string) => object) {
  const delimiters: [string, string] = [FENCE, `${FENCE}\n`];
  return {
    language: 'yaml',
    delimiters,
    engines: {
      yaml: parseBlock,
      json: refuseLanguage,
      javascript: refuseLanguage,
      js: refuseLanguage,
      coffee: refuseLanguage,
    },
  };
}

function refuseLanguage(): never {
  throw new Error('Frontmatter is YAML, no other language is read.');
}

function readYaml(
  text: string,
  { start, end }: { start: number; end: number },
  lines: LineCounter,
): ParsedYaml | Problem {
  const blank = findLongBlank(text.slice(0, end));
  if (blank) return blank;
  const before = text.slice(0, start + FENCE.length);
  let parsed: ParsedYaml | Problem | undefined;
  const parseBlock = (block: string) => {
    parsed = parseYaml(`${before}${block}\n`, lines);
    return parsed;
  };
  const { matter: block } = matter(`${text.slice(start, end)}${FENCE}\n`, matterOptions(parseBlock));
  // gray-matter does not pass a block that consists only of comments to the engine. Such a block can still
  // contain something to refuse.
  return parsed ?? parseBlock(block);
}

/** Returns the first place with more consecutive blank lines than the limit allows. */
function findLongBlank(source: string): Problem | undefined {
  let at = 0;
  for (const run of source.split(/(\S+)/)) {
    const starts = run.trim() === '' ? run.split(/[\n\r\u2028\u2029]/).length - 1 : 0;
    if (starts * run.length > BLANK_LIMIT) {
      const line = source.slice(0, at).split('\n').length;
      return { line, column: 1, reason: 'The frontmatter has too many blank lines in a row.' };
    }
    at += run.length;
  }
  return undefined;
}

/**
 * Finds the fences. Implemented here because gray-matter accepts any line that starts with `---` as the closing fence,
 * accepts a frontmatter that is never closed, and reports no offsets, which editing needs. A first line that starts
 * like a fence but is not exactly `---` names another language and is refused.
 */
export function findSections(text: string): Sections | Problem {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const first = lineAt(text, start);
  const eol = text.slice(first.end, first.next) === '\r\n' ? '\r\n' : '\n';
  const opening = text.slice(start, first.end);
  if (opening !== FENCE) {
    if (/^---[^-]/.test(opening)) {
      return {
        line: 1,
        column: 4,
        reason: 'The first line must be exactly `---`: frontmatter is YAML, no other language is read.',
      };
    }
    return { yaml: undefined, bodyStart: start, eol };
  }
  for (let at = first.next; at < text.length; ) {
    const line = lineAt(text, at);
    if (/^---[ \t]*$/.test(text.slice(at, line.end))) {
      const blank = lineAt(text, line.next);
      const bodyStart = blank.end === line.next ? blank.next : line.next;
      return { yaml: { start, end: at }, bodyStart, eol };
    }
    at = line.next;
  }
  return { line: 1, column: 1, reason: 'The frontmatter is never closed: end it with a line that is exactly `---`.' };
}

/** Returns where the text of the line that starts at `start` ends and where the next line starts. */
export function lineAt(text: string, start: number): { end: number; next: number } {
  const newline = text.indexOf('\n', start);
  if (newline === -1) return { end: text.length, next: text.length };
  return { end: newline > start && text[newline - 1] === '\r' ? newline - 1 : newline, next: newline + 1 };
}
