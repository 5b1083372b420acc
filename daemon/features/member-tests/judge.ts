import type { Citation } from '../../contract/asks.js';
import type { MemberTest } from '../../contract/member-tests.js';
import { PatternError } from '../../lib/text/linear-pattern-parser.js';
import { pattern } from '../../lib/text/pattern.js';
import { AnswerText, type Place, readPlace, readSaying } from './expectation.js';

/** A member's answer. */
interface Answer {
  text: string;
  citations: readonly Citation[];
}

const NAMED_MAX = 5;

/** Phrases that state that the project does not contain what the question is about. */
const NOT_FOUND = [
  pattern`
    \bnot (?:found|to be found|present|mentioned|documented|described|stated|defined
      |contained) (?:any ?where )?in (?:this|the) (?:project|repository|codebase|code base|code|documentation)\b
  `,
  /\bnothing (?:\w+ ){0,6}in (?:this|the) (?:project|repository|codebase|code base)\b/,
  pattern`
    \b(?:this|the) (?:project|repository|codebase|code base) (?:does not|doesn't|doesn’t) (?:hold|contain|say
      |mention|state|describe|document|include|define|have)\b
  `,
  pattern`
    \b(?:could not|couldn't|couldn’t|cannot|can't|can’t|did not|didn't|didn’t) find (?:\S+ ){0,12}in (?:this
      |the) (?:project|repository|codebase|code base)\b
  `,
];

/**
 * Returns a message for each expectation that an answer does not meet; empty when it passes. A citation counts when it
 * is valid in the working tree, at its place or moved. An answer to `not found` must have no such citation, and must
 * state that the project does not contain the answer. The test's own `says` replace the built-in phrases, in any
 * language.
 */
export function judge(test: MemberTest, { text, citations }: Answer): string[] {
  const testStatus = citations.filter(({ status }) => status === 'checked' || status === 'moved');
  const answer = new AnswerText(text);
  const failures: string[] = [];
  for (const cited of test.cites) {
    const place = readPlace(cited);
    if (typeof place === 'string' || !testStatus.some((citation) => covers(citation, place)))
      failures.push(`Does not cite ${cited}; it cites ${listPlaces(testStatus)}.`);
  }
  for (const words of test.says) {
    const found = find(words, answer);
    if (found !== true) failures.push(found || `Does not say ${quoted(words)}.`);
  }
  for (const words of test.never_says) {
    const found = find(words, answer);
    if (found !== false) failures.push(found === true ? `Says ${quoted(words)}, which it must never say.` : found);
  }
  if (test.not_found) {
    if (testStatus.length > 0)
      failures.push(`Cites ${listPlaces(testStatus)}, though the project does not hold the answer.`);
    if (test.says.length === 0 && !NOT_FOUND.some((pattern) => pattern.test(answer.folded)))
      failures.push('Does not say that this is not found in the project.');
  }
  return failures;
}

/** Whether the answer contains `words`, or the reason why that cannot be decided. */
function find(words: string, answer: AnswerText): boolean | string {
  const saying = readSaying(words);
  if (typeof saying === 'string') return `${quoted(words)} ${saying}.`;
  try {
    return saying(answer);
  } catch (error) {
    if (error instanceof PatternError) return `${quoted(words)} ${error.message}.`;
    throw error;
  }
}

function covers({ path, start_line, end_line }: Citation, { path: wanted, lines }: Place): boolean {
  return path === wanted && (lines === undefined || (start_line <= lines.end && lines.start <= end_line));
}

function listPlaces(citations: readonly Citation[]): string {
  if (citations.length === 0) return 'nothing that stands';
  const named = citations
    .slice(0, NAMED_MAX)
    .map(({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`);
  const more = citations.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const quoted = (words: string) => (/^["/]/.test(words) ? words : `"${words}"`);
