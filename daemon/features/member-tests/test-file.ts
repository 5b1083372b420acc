import { ASK_TEXT_MAX_CHARS } from '../../contract/limits.js';
import {
  MEMBER_TEST_EXPECTATIONS_MAX,
  MEMBER_TEST_SAYING_MAX_CHARS,
  MEMBER_TESTS_MAX,
  type MemberTest,
} from '../../contract/member-tests.js';
import type { Problem } from '../../contract/team.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { isProblem, parseMarkdown } from '../../storage/members/frontmatter.js';
import { readPlace, readSaying } from './expectation.js';

/** A parsed test file. With a `problem`, none of its tests run. */
export interface TestFile {
  blocksExposure: boolean;
  tests: readonly MemberTest[];
  problem: Problem | undefined;
}

/** Limits the time for compiling patterns during validation. */
const PATTERNS_MAX = 200;
const SHOWN_CHARS = 80;
const EXPECTATIONS = '`cites: path:start-end`, `says: words`, `never says: words` or `not found`';

/**
 * Parses `.mesh/asks/<member>.md`, which is untrusted; never throws. Strict, so that a mistake cannot become a test
 * that always passes: other text than expectations under a question, an unknown key, and a question that is a duplicate
 * or has no expectations are problems with their line. A file blocks exposure when its `blocks_exposure` cannot be
 * determined.
 */
export function readTestFile(text: string): TestFile {
  // An editor may be about to write it.
  if (text.trim() === '')
    return { blocksExposure: true, tests: [], problem: { line: 1, column: 1, reason: 'The file is empty.' } };
  const file = parseMarkdown(text);
  if (isProblem(file)) return { blocksExposure: true, tests: [], problem: clean(file) };
  const blocks = file.data['blocks_exposure'] ?? false;
  if (typeof blocks !== 'boolean') {
    const problem = { ...file.locate(['blocks_exposure']), reason: '`blocks_exposure` must be true or false.' };
    return { blocksExposure: true, tests: [], problem };
  }
  const unknown = Object.keys(file.data).find((key) => key !== 'blocks_exposure');
  if (unknown !== undefined) {
    const reason = `The key \`${shown(unknown)}\` is not known here: the frontmatter of tests holds \`blocks_exposure\` only.`;
    // The unknown key may be a misspelled `blocks_exposure`.
    return { blocksExposure: true, tests: [], problem: clean({ ...file.locate([unknown]), reason }) };
  }
  const firstLine = text.slice(0, text.length - file.body.length).split('\n').length;
  const tests = new BodyReading(firstLine).read(file.body);
  return isProblem(tests)
    ? { blocksExposure: blocks, tests: [], problem: clean(tests) }
    : { blocksExposure: blocks, tests, problem: undefined };
}

/** Parses the lines below the frontmatter in one pass. */
class BodyReading {
  private readonly tests: MemberTest[] = [];
  private readonly questions = new Set<string>();
  private readonly places = new Map<MemberTest, number>();
  private patterns = 0;
  private isComment = false;

  constructor(private line: number) {}

  read(body: string): MemberTest[] | Problem {
    for (const raw of body.split('\n')) {
      const reason = this.addLine(raw.trimEnd());
      if (reason !== undefined) return { line: this.line, column: 1, reason };
      this.line += 1;
    }
    const idle = this.tests.find((test) => getCount(test) === 0);
    if (idle) {
      return {
        line: this.places.get(idle) ?? 1,
        column: 1,
        reason: `Nothing is expected of the answer: list ${EXPECTATIONS} under the question.`,
      };
    }
    if (this.tests.length === 0)
      return { line: 1, column: 1, reason: 'There is no question: write one as a heading that begins with `## `.' };
    return this.tests;
  }

  private addLine(line: string): string | undefined {
    const words = line.trimStart();
    if (this.isComment || words.startsWith('<!--')) {
      this.isComment = !words.includes('-->');
      return undefined;
    }
    if (line === '##' || line.startsWith('## ') || line.startsWith('##\t'))
      return this.takeQuestion(line.slice(2).trim());
    const test = this.tests.at(-1);
    if (test === undefined)
      return isExpectation(words) ? 'An expectation stands before the first question.' : undefined;
    if (words === '') return undefined;
    if (!/^[-*+](?:\s|$)/.test(words)) return `Under a question stands only a list of ${EXPECTATIONS}.`;
    return this.takeExpectation(test, words.slice(1).trim());
  }

  private takeQuestion(question: string): string | undefined {
    if (question === '') return 'The question is empty.';
    if (question.length > ASK_TEXT_MAX_CHARS) return `A question has at most ${ASK_TEXT_MAX_CHARS} characters.`;
    if (this.questions.has(question))
      return 'This question stands in the file already: put the expectations of both under one.';
    if (this.tests.length >= MEMBER_TESTS_MAX) return `A member has at most ${MEMBER_TESTS_MAX} questions.`;
    this.questions.add(question);
    const test = { question, cites: [], says: [], never_says: [], not_found: false };
    this.places.set(test, this.line);
    this.tests.push(test);
    return undefined;
  }

  private takeExpectation(test: MemberTest, item: string): string | undefined {
    if (getCount(test) >= MEMBER_TEST_EXPECTATIONS_MAX)
      return `A question has at most ${MEMBER_TEST_EXPECTATIONS_MAX} expectations.`;
    const colon = item.indexOf(':');
    const kind = (colon === -1 ? item : item.slice(0, colon)).trim().toLowerCase();
    const value = colon === -1 ? '' : item.slice(colon + 1).trim();
    switch (kind) {
      case 'cites':
        return this.takePlace(test, value);
      case 'says':
        return this.takeSaying(kind, test.says, value);
      case 'never says':
        return this.takeSaying(kind, test.never_says, value);
      case 'not found':
        if (colon !== -1) return '`not found` stands alone: what else is expected is a line of its own.';
        if (test.cites.length > 0) return CONTRADICTION;
        test.not_found = true;
        return undefined;
      default:
        return `\`${shown(item)}\` is not an expectation: write ${EXPECTATIONS}.`;
    }
  }

  private takePlace(test: MemberTest, value: string): string | undefined {
    if (test.not_found) return CONTRADICTION;
    if (value === '') return '`cites` needs a file, as `path`, `path:line` or `path:start-end`.';
    const place = value.length > MEMBER_TEST_SAYING_MAX_CHARS ? 'is too long' : readPlace(value);
    if (typeof place === 'string') return `\`cites: ${shown(value)}\` ${place}.`;
    test.cites.push(value);
    return undefined;
  }

  private takeSaying(kind: string, sayings: string[], value: string): string | undefined {
    if (value === '') return `\`${kind}\` needs words, or a \`/pattern/\`.`;
    if (value.startsWith('/')) this.patterns += 1;
    if (this.patterns > PATTERNS_MAX) return `A file has at most ${PATTERNS_MAX} patterns.`;
    const saying = readSaying(value);
    if (typeof saying === 'string') return `\`${kind}: ${shown(value)}\` ${saying}.`;
    sayings.push(value);
    return undefined;
  }
}

const CONTRADICTION = 'An answer that is `not found` cites nothing: keep one of `cites` and `not found`.';

const getCount = ({ cites, says, never_says, not_found }: MemberTest) =>
  cites.length + says.length + never_says.length + (not_found ? 1 : 0);

const isExpectation = (item: string) =>
  /^[-*+]\s+(?:cites\s*:|says\s*:|never\s+says\s*:|not found$)/i.test(item.slice(0, SHOWN_CHARS));

function shown(text: string): string {
  const characters = [...text];
  return characters.length <= SHOWN_CHARS ? text : `${characters.slice(0, SHOWN_CHARS - 1).join('')}…`;
}

/** A reason may quote the file, and is part of responses. */
const clean = (problem: Problem): Problem => ({ ...problem, reason: scrubSecrets(problem.reason) });
