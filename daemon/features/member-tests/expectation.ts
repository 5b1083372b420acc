import { MEMBER_TEST_SAYING_MAX_CHARS } from '../../contract/member-tests.js';
import { LinearPattern, PatternBudget } from '../../lib/linear-pattern.js';
import { PatternRefused } from '../../lib/linear-pattern-parser.js';
import { isPlainPath } from '../../storage/agent-files.js';

/** What all patterns of one answer may take: some tenths of a second at most. */
const PATTERN_STEPS = 2_000_000;
const PLACE = /^(?<path>.+?)(?::(?<start>\d{1,7})(?:-(?<end>\d{1,7}))?)?$/su;

/** Lines of a project file; without lines, anywhere in it. */
export interface Place {
  path: string;
  lines: { start: number; end: number } | undefined;
}

/** Finds a saying in an answer. Throws PatternRefused for an answer on which its pattern takes too long. */
export type Saying = (answer: SaidText) => boolean;

/** Reads `path`, `path:line` or `path:start-end`; what is wrong with it as text. */
export function readPlace(text: string): Place | string {
  const { path = '', start, end } = PLACE.exec(text)?.groups ?? {};
  if (!isPlainPath(path)) return 'names no file: write its path from the project, with `/` and without `..`';
  if (start === undefined) return { path, lines: undefined };
  const lines = { start: Number(start), end: Number(end ?? start) };
  if (lines.start < 1 || lines.end < lines.start) return 'names no lines: write them as `start-end`, counted from 1';
  return { path, lines };
}

/**
 * Reads what an answer must or must never say: words, which may stand in quotation marks, or a `/pattern/`; what is wrong with it as text. Words are found
 * whatever their case; a pattern is tried as it is written, in time that grows with the answer. White space counts as one space in both.
 */
export function readSaying(text: string): Saying | string {
  if (text.length > MEMBER_TEST_SAYING_MAX_CHARS) return `is longer than ${MEMBER_TEST_SAYING_MAX_CHARS} characters`;
  const pattern = /^\/(?<source>.+)\/(?<flags>[a-z]*)$/su.exec(text)?.groups;
  if (pattern) {
    if (pattern['flags'] !== '') return `has the flags \`${pattern['flags']}\`, and a pattern takes none`;
    try {
      const budget = new PatternBudget(PATTERN_STEPS);
      const compiled = new LinearPattern(pattern['source'] ?? '', budget);
      return (answer) => {
        budget.refill();
        return compiled.test(answer.text);
      };
    } catch (error) {
      if (error instanceof PatternRefused) return `holds a pattern that cannot be used: it ${error.message}`;
      throw error;
    }
  }
  const words = inOneLine(/^"(?<inner>.+)"$/su.exec(text)?.groups?.['inner'] ?? text).toLowerCase();
  return words === '' ? 'holds no words' : (answer) => answer.folded.includes(words);
}

/** An answer as sayings are looked for in it. */
export class SaidText {
  readonly text: string;
  readonly folded: string;

  constructor(answer: string) {
    this.text = inOneLine(answer);
    this.folded = this.text.toLowerCase();
  }
}

function inOneLine(text: string): string {
  return text.split(/\s+/u).filter(Boolean).join(' ');
}
