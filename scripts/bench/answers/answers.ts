/**
 * Measures the answers that need no model, on code bases of others and questions of strangers. Whoever wrote the
 * questions never saw the search, and whoever changes the search sees only the questions about the `open` half. Every
 * figure of the `locked` half is printed with its 95 % interval, beside plain BM25, and the files beside grep, in the
 * same run; goals are for that half. Usage: `npm run bench -- answers`. `--open` prints the open half with what each
 * ground of a score brings, what the structure graph, doc comments and the list of everyday words do (each code base is
 * indexed again without one), each missed question, and no goals; `--only <name>`, which may be repeated, takes some
 * code bases of it.
 */
import { readFileSync } from 'node:fs';
import { mayBeIndexed, readableText, splitLines } from '../../../daemon/features/knowledge/passages/file-worth.js';
import type { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { TraceNotes } from '../../../daemon/features/knowledge/trace-notes.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { ProjectFiles } from '../../../daemon/storage/project-files.js';
import { median, quantile, report, rounded } from '../measure.js';
import { type Candidates, readCandidates, reportAblation, reportPart } from './ablation.js';
import type { CodeBase } from './code-bases.js';
import { eachCodeBase, environment, HALF, type IndexedCodeBase, PARTS, type Part } from './each-code-base.js';
import { GREP_NAME, grepByWords } from './grep-by-words.js';
import { type Asked, isFileFirst, isFileInThree, isPassageInThree, type Outcome, share } from './measures.js';
import { PlainBm25 } from './plain-bm25.js';
import { StandingCitations } from './standing.js';

/** The halves have rows of their own in the results; the table of the open one is that of what each part brings. */
const bench = HALF === 'open' ? 'answers-open' : 'answers';

interface Outcomes {
  ours: Outcome[];
  peer: Outcome[];
  grep: Outcome[];
  citations: StandingCitations;
  candidates: Candidates[];
  /** Answers of indexes without a part; of the open half. */
  without: Map<Part, Outcome[]>;
}

function readQuestions(name: string): Asked[] {
  const file = new URL(`./questions/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { questions: Asked[] }).questions;
}

function timed<T>(run: () => T): { value: T; ms: number } {
  const started = performance.now();
  return { value: run(), ms: performance.now() - started };
}

/** Asks every question about one code base, of the product and of the peers. */
function askAll({ name: base, root, index, without }: IndexedCodeBase, into: Outcomes): void {
  const files = new ProjectFiles(root, environment, mayBeIndexed);
  const texts = files.list().files.flatMap(({ path }) => {
    const text = readableText(files.read(path)?.bytes ?? new Uint8Array());
    return text === undefined ? [] : [{ path, lines: splitLines(text) }];
  });
  const peer = new PlainBm25(texts);
  for (const asked of readQuestions(base)) {
    const notes = new TraceNotes(systemClock);
    const { answer, outcome } = askOne(index, base, asked, notes);
    into.candidates.push(...readCandidates(base, asked, notes.toTrace(answer)));
    into.ours.push(outcome);
    const searched = timed(() => peer.search(asked.text, 10));
    into.peer.push({ base, asked, places: searched.value, ms: searched.ms });
    const grepped = timed(() => grepByWords(root, asked.text));
    into.grep.push({ base, asked, places: grepped.value, ms: grepped.ms });
    into.citations.add(index, answer.citations);
  }
  if (HALF !== 'open') return;
  for (const part of PARTS) {
    const outcomes = without(part, (other) =>
      readQuestions(base).map((asked) => askOne(other, base, asked, new TraceNotes(systemClock)).outcome),
    );
    into.without.set(part, [...(into.without.get(part) ?? []), ...outcomes]);
  }
}

function askOne(index: ProjectIndex, base: string, asked: Asked, notes: TraceNotes) {
  const { value: answer, ms } = timed(() => index.answer({ text: asked.text }, notes));
  const places = answer.citations.map(({ path, start_line: startLine, end_line: endLine }) => ({
    path,
    startLine,
    endLine,
  }));
  const outcome: Outcome = { base, asked, confidence: answer.confidence, places, ms };
  return { answer, outcome };
}

/** One figure: the kind of question, what counts as right, and its goal on the locked half. */
interface Figure {
  measure: string;
  of: (outcome: Outcome) => boolean;
  isRight: (outcome: Outcome) => boolean;
  atLeast?: number;
  atMost?: number;
  /** How far above the peer it has to be. */
  above?: number;
}

const isOfKind = (kind: Asked['kind']) => (outcome: Outcome) => outcome.asked.kind === kind;
const isAnswerable = (outcome: Outcome) => outcome.asked.kind !== 'absent';
const says = (confidence: Outcome['confidence']) => (outcome: Outcome) => outcome.confidence === confidence;

const FIGURES: readonly Figure[] = [
  {
    measure: 'threads: right passage in the first three',
    of: isOfKind('thread'),
    isRight: isPassageInThree,
    atLeast: 0.8,
    above: 0.05,
  },
  { measure: 'threads: right file first', of: isOfKind('thread'), isRight: isFileFirst, atLeast: 0.82 },
  { measure: 'threads: right file in the first three', of: isOfKind('thread'), isRight: isFileInThree, atLeast: 0.95 },
  {
    measure: 'paraphrases: right passage in the first three',
    of: isOfKind('paraphrase'),
    isRight: isPassageInThree,
    atLeast: 0.6,
  },
  { measure: 'paraphrases: right file first', of: isOfKind('paraphrase'), isRight: isFileFirst, atLeast: 0.5 },
  {
    measure: 'paraphrases: right file in the first three',
    of: isOfKind('paraphrase'),
    isRight: isFileInThree,
    atLeast: 0.78,
  },
  { measure: 'answerable: `none`', of: isAnswerable, isRight: says('none'), atMost: 0.06 },
  { measure: 'answerable: `found`', of: isAnswerable, isRight: says('found'), atLeast: 0.5 },
  {
    measure: '`found`: right passage',
    of: (outcome) => isAnswerable(outcome) && outcome.confidence === 'found',
    isRight: isPassageInThree,
    atLeast: 0.9,
  },
  { measure: 'absent: `found`', of: isOfKind('absent'), isRight: says('found'), atMost: 0.1 },
  { measure: 'absent: `none`', of: isOfKind('absent'), isRight: says('none'), atLeast: 0.55 },
];

function reportFigure(figure: Figure, { ours, peer }: Outcomes, half: CodeBase['half']): void {
  const own = ours.filter(figure.of);
  if (own.length === 0) return;
  const mine = share(own, figure.isRight);
  const isAboutPlaces =
    figure.isRight !== says('none') && /right/.test(figure.measure) && !figure.measure.startsWith('`');
  const other = isAboutPlaces ? share(peer.filter(figure.of), figure.isRight) : undefined;
  const goals = [
    ...(figure.atLeast === undefined ? [] : [{ text: `>= ${figure.atLeast}`, met: mine.value >= figure.atLeast }]),
    ...(figure.atMost === undefined ? [] : [{ text: `<= ${figure.atMost}`, met: mine.value <= figure.atMost }]),
    ...(figure.above === undefined || !other
      ? []
      : [{ text: `plain BM25 + ${figure.above}`, met: mine.value >= other.value + figure.above }]),
  ];
  report({
    bench,
    measure: `${half}: ${figure.measure} (${mine.count})`,
    unit: '',
    ours: rounded(mine.value, 3),
    min: rounded(mine.low, 3),
    max: rounded(mine.high, 3),
    ...(other ? { peer: { name: 'plain BM25', value: rounded(other.value, 3) } } : {}),
    ...(other && other.value > 0 ? { ratio: rounded(mine.value / other.value, 2) } : {}),
    rounds: 1,
    ...(half === 'locked'
      ? { goal: goals.map(({ text }) => text).join(', and '), pass: goals.every(({ met }) => met) }
      : {}),
  });
}

function reportHalf(half: CodeBase['half'], outcomes: Outcomes): void {
  for (const figure of FIGURES) reportFigure(figure, outcomes, half);
  const threads = outcomes.grep.filter(isOfKind('thread'));
  report({
    bench,
    measure: `${half}: threads: right file in the first three, by ${GREP_NAME} (${threads.length})`,
    unit: '',
    ours: rounded(share(threads, isFileInThree).value, 3),
    rounds: 1,
  });
  outcomes.citations.report(bench, half);
  const times = outcomes.ours.map(({ ms }) => ms);
  report({
    bench,
    measure: `${half}: time of an answer, p50`,
    unit: 'ms',
    ours: rounded(median(times)),
    peer: { name: GREP_NAME, value: rounded(median(outcomes.grep.map(({ ms }) => ms))) },
    rounds: 1,
    ...(half === 'locked' ? { goal: '<= 60 ms', pass: median(times) <= 60 } : {}),
  });
  report({
    bench,
    measure: `${half}: time of an answer, p95`,
    unit: 'ms',
    ours: rounded(quantile(times, 0.95)),
    rounds: 1,
    ...(half === 'locked' ? { goal: '<= 200 ms', pass: quantile(times, 0.95) <= 200 } : {}),
  });
  if (half !== 'open') return;
  reportAblation(outcomes.candidates);
  for (const [part, without] of outcomes.without) reportPart(part, without, outcomes.ours);
  printMisses(outcomes.ours);
}

function printMisses(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    const { base, asked, confidence, places } = outcome;
    const isRight = asked.kind === 'absent' ? confidence === 'none' : isPassageInThree(outcome);
    if (isRight) continue;
    const cited = places.slice(0, 3).map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`);
    const wanted = asked.answers.slice(0, 3).map(({ path, lines }) => `${path}:${lines[0]}-${lines[1]}`);
    console.error(
      `${base} ${asked.kind} ${confidence}: ${asked.text}\n  cited ${cited.join(' ')}\n  right ${wanted.join(' ')}`,
    );
  }
}

const outcomes: Outcomes = {
  ours: [],
  peer: [],
  grep: [],
  citations: new StandingCitations(),
  candidates: [],
  without: new Map(),
};
await eachCodeBase((base) => askAll(base, outcomes));
reportHalf(HALF, outcomes);
