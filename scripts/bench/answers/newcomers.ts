/**
 * Asks the eight questions that a newcomer has (what is it, tests, build, licence, entry point, a feature, callers,
 * environment) of twelve code bases of others, and judges the answers by a rule that was written before any of them was
 * seen: `newcomers/RULE.md`. Half of the code bases are locked; `--open` asks the others and prints what was not right.
 */
import { readFileSync } from 'node:fs';
import { report } from '../measure.js';
import type { CodeBase } from './code-bases.js';
import { eachCodeBase, HALF, type IndexedCodeBase } from './each-code-base.js';
import { StandingCitations } from './standing.js';

interface Question {
  kind: 'purpose' | 'tests' | 'build' | 'licence' | 'entry' | 'feature' | 'callers' | 'environment';
  text: string;
  says?: string[];
  places?: { path: string; lines: [number, number] }[];
  list?: string[];
  absent?: true;
}

type Answer = ReturnType<IndexedCodeBase['index']['answer']>;
type Verdict = 'right' | 'wrong' | 'false absence';

/** From this F1 on, a list counts as right. */
const LIST_RIGHT = 0.9;
const KINDS = ['purpose', 'tests', 'build', 'licence', 'entry', 'feature', 'callers', 'environment'] as const;
const ABSENCE = /\b(?:no|none|nobody|nothing|not found|does not say|nowhere)\b/i;

const read = <T>(name: string) =>
  JSON.parse(readFileSync(new URL(`./newcomers/${name}.json`, import.meta.url), 'utf8')) as T;

/** The code bases, whose patterns are text in JSON. */
function readCodeBases(): CodeBase[] {
  const listed = read<(Omit<CodeBase, 'leaveOut'> & { leaveOut?: string })[]>('code-bases');
  return listed.map(({ leaveOut, ...base }) => ({
    ...base,
    ...(leaveOut === undefined ? {} : { leaveOut: new RegExp(leaveOut) }),
  }));
}

const firstParagraph = ({ text }: Answer) => (text.split(/\n\s*\n/)[0] ?? '').replaceAll('\n', ' ');

function isListRight(question: Question, answer: Answer): boolean {
  const wanted = new Set(question.list);
  const given =
    question.kind === 'environment'
      ? new Set(
          [...answer.text.matchAll(/`([A-Za-z_][A-Za-z0-9_]*)`(?=[,.:; ]|$)/gm)].map(([, name]) => name as string),
        )
      : new Set(answer.citations.map(({ path, start_line: line }) => `${path}:${line}`));
  const right = [...given].filter((one) => wanted.has(one)).length;
  if (right === 0) return false;
  const [precision, recall] = [right / given.size, right / wanted.size];
  return (2 * precision * recall) / (precision + recall) >= LIST_RIGHT;
}

function isStatementRight(question: Question, answer: Answer): boolean {
  const says = (question.says ?? []).some((pattern) => new RegExp(pattern, 'i').test(firstParagraph(answer)));
  const cites = answer.citations
    .slice(0, 3)
    .some(({ path, start_line: start, end_line: end }) =>
      (question.places ?? []).some((place) => place.path === path && place.lines[0] <= end && start <= place.lines[1]),
    );
  return says && cites;
}

function judge(question: Question, answer: Answer): Verdict {
  const isAbsence = answer.confidence === 'none' || (answer.total === 0 && ABSENCE.test(firstParagraph(answer)));
  if (question.absent) return isAbsence ? 'right' : 'wrong';
  if (isAbsence) return 'false absence';
  const isList = question.kind === 'callers' || question.kind === 'environment';
  return (isList ? isListRight(question, answer) : isStatementRight(question, answer)) ? 'right' : 'wrong';
}

const citations = new StandingCitations();
const verdicts: { base: string; question: Question; verdict: Verdict; faults: number }[] = [];

await eachCodeBase(({ name, index }) => {
  for (const question of read<{ questions: Question[] }>(name).questions) {
    const answer = index.answer({ text: question.text });
    citations.add(index, answer.citations);
    const faults = answer.citations.filter(({ path }) => path.startsWith('.mesh/')).length;
    const verdict = judge(question, answer);
    verdicts.push({ base: name, question, verdict, faults });
    if (HALF === 'open' && verdict !== 'right')
      console.log(
        `${name}, ${question.kind}: ${question.text}\n  ${verdict}: ${answer.confidence} ${firstParagraph(answer).slice(0, 300)}\n  cites ${answer.citations
          .slice(0, 3)
          .map((one) => `${one.path}:${one.start_line}-${one.end_line}`)
          .join(' ')}\n  right ${JSON.stringify(question.says ?? question.list)?.slice(0, 300)}`,
      );
  }
}, readCodeBases());

for (const kind of [undefined, ...KINDS]) {
  const some = verdicts.filter(({ question }) => kind === undefined || question.kind === kind);
  const count = (wanted: Verdict) => some.filter(({ verdict }) => verdict === wanted).length;
  const faults = some.reduce((sum, one) => sum + one.faults, 0);
  report({
    bench: 'newcomers',
    measure:
      `${HALF}: ${kind ?? 'all'}, right of ${some.length}; false absences ${count('false absence')}, quotes from ` +
      `.mesh ${faults}`,
    unit: '',
    ours: count('right'),
    rounds: 1,
    ...(kind === undefined
      ? {
          goal: '>= 85 of 96, 0 false absences',
          pass: count('right') >= some.length * 0.885 && count('false absence') === 0,
        }
      : {}),
  });
}
citations.report('newcomers', HALF);
