import { MEMBER_TEST_SAYING_MAX_CHARS } from '../../contract/member-tests.js';
import { LinearPattern, PatternBudget } from '../../lib/text/linear-pattern.js';
import { PatternError } from '../../lib/text/linear-pattern-parser.js';
import { isPlainPath } from '../../storage/members/agent-files.js';

/** Step budget for all patterns on one answer: at most some tenths of a second. */
const PATTERN_STEPS = 2_000_000;
const PLACE = /^(?<path>.+?)(?::(?<start>\d{1,7})(?:-(?<end>\d{1,7}))?)?$/su;

/** Lines of a project file; without lines, anywhere in the file. */
export interface Place {
  path: string;
  lines: { start: number; end: number } | undefined;
}

/** Tests whether an answer contains a text. Throws PatternError when its pattern takes too long on the answer. */
type AnswerPredicate = (answer: AnswerText) => boolean;

/** Parses `path`, `path:line` or `path:start-end`. Returns an error message when it is invalid. */
export function readPlace(text: string): Place | string {
  const { path = '', start, end } = PLACE.exec(text)?.groups ?? {};
  if (!isPlainPath(path)) return 'names no file: write its path from the project, with `/` and without `..`';
  if (start === undefined) return { path, lines: undefined };
  const lines = { start: Number(start), end: Number(end ?? start) };
  if (lines.start < 1 || lines.end < lines.start) return 'names no lines: write them as `start-end`, counted from 1';
  return { path, lines };
}

/**
 * Parses what an answer must or must not say: words, optionally in quotation marks, or a `/pattern/`. Returns an error
 * message when it is invalid. Words match case-insensitively. A pattern is case-sensitive and takes time proportional
 * to the answer. Both treat white space as one space.
 */
export function readSaying(text: string): AnswerPredicate | string {
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
      if (error instanceof PatternError) return `holds a pattern that cannot be used: it ${error.message}`;
      throw error;
    }
  }
  const words = inOneLine(/^"(?<inner>.+)"$/su.exec(text)?.groups?.['inner'] ?? text).toLowerCase();
  return words === '' ? 'holds no words' : (answer) => answer.folded.includes(words);
}

/** An answer prepared for matching. */
export class AnswerText {
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
