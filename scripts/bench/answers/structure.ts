/**
 * Measures the answers to questions about the structure of code, on code bases of others. The truth is in
 * `structure/<code base>.json`, which `structure/generate.ts` has from tools that the product does not use. A figure is
 * the mean F1 of the places that an answer cites, with its 95 % interval; beside it is `git grep -n -w`. Goals are for
 * the locked half. Usage: `npm run bench -- structure`. `--open` prints the open half with each question below 0.9, and
 * `--only <name>`, which may be repeated, takes some code bases of it.
 */
import { readFileSync } from 'node:fs';
import type { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { median, quantile, report, rounded } from '../measure.js';
import type { CodeBase } from './code-bases.js';
import { eachCodeBase, HALF, type IndexedCodeBase } from './each-code-base.js';
import { mean } from './measures.js';
import { StandingCitations } from './standing.js';
import { grep } from './structure/git-grep.js';
import { KINDS, type Kind, type StructureQuestion, type StructureSet } from './structure/question.js';
import { type Score, type StructureAnswer, scoreAnswer } from './structure/score.js';

const bench = 'structure';

interface Outcome {
  base: string;
  question: StructureQuestion;
  answer: StructureAnswer;
  score: Score;
  peer: Score;
  ms: number;
}

function readSet(name: string): StructureSet {
  return JSON.parse(readFileSync(new URL(`./structure/${name}.json`, import.meta.url), 'utf8')) as StructureSet;
}

const standing = new StandingCitations();

function toShown({ citations, confidence }: ReturnType<ProjectIndex['answer']>): StructureAnswer {
  const shown = citations.map(({ path, start_line: startLine, end_line: endLine, quote }) => ({
    path,
    startLine,
    endLine,
    text: quote,
  }));
  return { shown, isRefused: confidence === 'none' };
}

/** Asks every question about one code base, of the product and of the peer. */
function askAll({ name: base, root, index }: IndexedCodeBase): Outcome[] {
  const { questions, endings } = readSet(base);
  return questions.map((question) => {
    const started = performance.now();
    const given = index.answer({ text: question.text });
    const ms = performance.now() - started;
    standing.add(index, given.citations);
    const answer = toShown(given);
    const peer = scoreAnswer(question, grep(root, question), endings);
    return { base, question, answer, score: scoreAnswer(question, answer, endings), peer, ms };
  });
}

/** Kinds that have a goal of their own, for which `git grep` is a peer. */
const GOALS: Partial<Record<Kind, number>> = { callers: 0.9, importers: 0.9, affected: 0.9, environment: 0.9 };
const GOAL_OF_ALL = 0.85;
const GOAL_FIRST = 0.97;

interface Figure {
  measure: string;
  values: readonly number[];
  peer?: readonly number[];
  atLeast?: number | undefined;
}

function reportFigure({ measure, values, peer, atLeast }: Figure, half: CodeBase['half']): void {
  if (values.length === 0) return;
  const ours = mean(values);
  const other = peer && mean(peer).value;
  const isMet = ours.value >= (atLeast ?? 0) && (other === undefined || ours.value > other);
  report({
    bench,
    measure: `${half}: ${measure} (${ours.count})`,
    unit: '',
    ours: rounded(ours.value, 3),
    min: rounded(ours.low, 3),
    max: rounded(ours.high, 3),
    ...(other === undefined ? {} : { peer: { name: 'git grep -n -w', value: rounded(other, 3) } }),
    ...(other ? { ratio: rounded(ours.value / other, 2) } : {}),
    rounds: 1,
    ...(half === 'locked' && atLeast !== undefined
      ? { goal: `>= ${atLeast}${other === undefined ? '' : ', and above git grep -w'}`, pass: isMet }
      : {}),
  });
}

function reportHalf(half: CodeBase['half'], outcomes: readonly Outcome[]): void {
  for (const kind of KINDS) {
    const own = outcomes.filter(({ question }) => question.kind === kind);
    const goal = GOALS[kind];
    reportFigure(
      {
        measure: `${kind}: mean F1`,
        values: own.map(({ score }) => score.f1),
        ...(goal === undefined ? {} : { atLeast: goal, peer: own.map(({ peer }) => peer.f1) }),
      },
      half,
    );
  }
  reportFigure(
    { measure: 'all forms: mean F1', values: outcomes.map(({ score }) => score.f1), atLeast: GOAL_OF_ALL },
    half,
  );
  const definitions = outcomes.filter(({ question }) => question.kind === 'definition');
  reportFigure(
    {
      measure: 'definition named first',
      values: definitions.map(({ score }) => (score.isFirstRight ? 1 : 0)),
      atLeast: GOAL_FIRST,
    },
    half,
  );
  const times = outcomes.map(({ ms }) => ms);
  report({
    bench,
    measure: `${half}: time of an answer, p50`,
    unit: 'ms',
    ours: rounded(median(times)),
    max: rounded(quantile(times, 0.95)),
    rounds: 1,
  });
  if (half === 'open') printMisses(outcomes);
}

function printMisses(outcomes: readonly Outcome[]): void {
  for (const { base, question, answer, score } of outcomes) {
    if (score.f1 >= 0.9) continue;
    const cited = answer.shown.slice(0, 6).map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`);
    const wanted = question.truth.slice(0, 6);
    console.error(
      `${base} ${question.kind} P ${score.precision.toFixed(2)} R ${score.recall.toFixed(2)}: ${question.text}\n` +
        `  cited ${answer.shown.length}: ${cited.join(' ')}\n  right ${question.truth.length}: ${wanted.join(' ')}`,
    );
  }
}

const outcomes: Outcome[] = [];
await eachCodeBase((base) => outcomes.push(...askAll(base)));
reportHalf(HALF, outcomes);
standing.report(bench, HALF);
