import type { CandidateFate } from '../../contract/answer-trace.js';
import type { Citation } from '../../contract/asks.js';
import { type Answer, NO_MODEL_LINE } from './knowledge.js';
import type { Reading } from './question.js';
import { bestQuote, computeCoverage, isAskedFor } from './quotes.js';
import type { Ranked, WeighedTerm } from './ranking.js';
import type { Found } from './search.js';
import { bestSentence, commentStart, definitionLine, plainText, shortened } from './sentences.js';
import type { TraceNotes } from './trace-notes.js';

const FACTS_MAX = 3;
const OF_ONE_FILE_MAX = 2;
/** A passage with a smaller share of the best one's score is not quoted. */
const FACT_MIN_SHARE = 0.35;

/** A quote with its citation. */
export interface Fact {
  citation: Citation;
  lines: readonly string[];
  kind: 'code' | 'prose' | 'fenced';
  /** Fraction of the question's total term weight that the quote covers. */
  coverage: number;
  /** The ranking score of its passage. */
  score: number;
  /** Headings, outermost first, or defined names. */
  titles: readonly string[];
}

export type Cite = (path: string, startLine: number, endLine: number) => Citation | undefined;

/**
 * Chooses the facts of an answer: the best passages, at most two of one file. Deterministic for the same search result.
 */
export function chooseFacts(found: Found, cite: Cite, notes: Pick<TraceNotes, 'setFate'>): Fact[] {
  const top = found.passages[0]?.score ?? 0;
  const facts: Fact[] = [];
  for (const ranked of found.passages) {
    const chosen = chooseFact(ranked, ranked.score / top, facts, found.terms, cite);
    if (typeof chosen === 'object') facts.push(chosen);
    notes.setFate(ranked, typeof chosen === 'object' ? 'quoted' : chosen);
  }
  return facts;
}

/** Returns the fact of a passage, or why it is none beside `facts`. `share` is its part of the best score. */
function chooseFact(
  ranked: Ranked,
  share: number,
  facts: readonly Fact[],
  terms: readonly WeighedTerm[],
  cite: Cite,
): Fact | CandidateFate {
  if (share < FACT_MIN_SHARE) return 'low_score';
  if (facts.length === FACTS_MAX) return 'enough';
  if (facts.filter((other) => other.citation.path === ranked.passage.path).length === OF_ONE_FILE_MAX)
    return 'same_file';
  const fact = getFact(ranked, terms, cite);
  if (!fact) return 'no_quote';
  return facts.some((other) => overlaps(other.citation, fact.citation)) ? 'overlapping' : fact;
}

function getFact(ranked: Ranked, terms: readonly WeighedTerm[], cite: Cite): Fact | undefined {
  const quote = bestQuote(ranked, terms);
  const citation = quote && cite(ranked.passage.path, quote.startLine, quote.endLine);
  if (!quote || !citation) return undefined;
  const { title } = ranked.passage;
  const kind = ranked.passage.kind === 'code' ? 'code' : quote.isFenced ? 'fenced' : 'prose';
  return {
    citation,
    lines: quote.lines,
    kind,
    coverage: quote.coverage,
    score: ranked.score,
    titles: title === '' ? [] : title.split(kind === 'code' ? ', ' : ' > '),
  };
}

const overlaps = (a: Citation, b: Citation) =>
  a.path === b.path && a.start_line <= b.end_line && b.start_line <= a.end_line;

/** Composes the answer's Markdown: one direct statement, notes, each fact with its quote, and the closing line. */
export function composeAnswer(lead: string, facts: readonly Fact[], notes: readonly string[] = []): string {
  return [lead, ...notes, ...facts.map((fact, index) => factText(fact, index + 1)), NO_MODEL_LINE].join('\n\n');
}

/** One direct statement, and the fraction of the question that it covers. */
interface Lead {
  text: string;
  strength: number;
}

/** How many of the first facts can supply the lead, and the exponent by which their rank counts. */
const LEADERS = 3;
const RANK_POWER = 2;

/** Moves the fact that answers most directly to the front, and returns its sentence as the lead. */
export function moveToFront(
  facts: readonly Fact[],
  terms: readonly WeighedTerm[],
  reading: Reading,
): { lead: string; facts: Fact[] } {
  let best: { lead: Lead; value: number; at: number } | undefined;
  const top = facts[0]?.score || 1;
  facts.slice(0, LEADERS).forEach((fact, at) => {
    const lead = fact.kind === 'code' ? codeLead(fact, terms, reading) : proseLead(fact, terms);
    const isBeside =
      (reading.shape === 'value' && !hasValue(lead.text)) || (reading.shape === 'where' && fact.kind !== 'code');
    const value = (0.15 + lead.strength) * (isBeside ? 0.6 : 1) * (fact.score / top) ** RANK_POWER;
    if (!best || value > best.value + 1e-9) best = { lead, value, at };
  });
  const at = best?.at ?? 0;
  return {
    lead: `${best?.lead.text ?? ''} [1]`,
    facts: [facts[at] as Fact, ...facts.filter((_, index) => index !== at)],
  };
}

/** Whether a lead contains a number, other than its line number. */
const hasValue = (text: string) => /\d/.test(text.replace(/`[^`]*`, lines? \d+/g, ''));

function codeLead({ citation, lines, titles, coverage }: Fact, terms: readonly WeighedTerm[], reading: Reading): Lead {
  const definition = definitionLine(lines, terms);
  const sentence = bestSentence(definition ? lines.slice(commentStart(lines, definition.index)) : lines, true, terms);
  const place = `\`${citation.path}\`, line ${citation.start_line + (definition?.index ?? 0)}`;
  const name = definition?.name ?? titles[0];
  const isAsked = definition !== undefined && isAskedFor(definition.name, terms);
  const strength = Math.max(
    isAsked ? 1 : 0,
    sentence?.coverage ?? 0,
    coverage * (reading.shape === 'where' ? 0.9 : 0.6),
  );
  const say = (text: string): Lead => ({ text, strength });
  if (name === undefined) return say(sentence?.text ?? `The closest match is in ${place}.`);
  if (reading.shape === 'where')
    return say(`**\`${name}\`** is in ${place}${sentence === undefined ? '.' : `: ${sentence.text}`}`);
  const only =
    definition && definition.line.length <= 160 && /[:=]\s*\S/.test(definition.line) && !/[{([]$/.test(definition.line)
      ? definition.line
      : undefined;
  if (reading.shape === 'value' && only !== undefined && hasValue(only)) return say(`In ${place}: ${code(only, 160)}`);
  if (sentence !== undefined) return say(`**\`${name}\`** (${place}): ${sentence.text}`);
  return say(
    only === undefined || reading.shape === 'value'
      ? `The closest match is **\`${name}\`** in ${place}.`
      : `In ${place}: ${code(only, 160)}`,
  );
}

function proseLead({ citation, lines, titles, kind, coverage }: Fact, terms: readonly WeighedTerm[]): Lead {
  const heading = (titles.at(-1)?.split(' / ')[0] ?? '').slice(0, 80);
  const label = heading === '' ? '' : `**${escaped(heading)}**: `;
  const headed = computeCoverage(titles.join(' '), terms) * 0.5;
  const sentence = bestSentence(lines, kind === 'fenced', terms);
  if (sentence !== undefined)
    return {
      text: `${label}${sentence.text}`,
      strength: Math.max(sentence.coverage, Math.min(1, headed + sentence.coverage * 0.6)),
    };
  const isFenced = kind === 'fenced' || lines.some((line) => /^\s*(?:```|~~~)/.test(line));
  const text = plainText(lines.filter((line) => !/^\s*(?:```|~~~|#)/.test(line)).join('\n'));
  if (text === '' || isFenced)
    return {
      text: `${label}see \`${citation.path}\`, lines ${citation.start_line} to ${citation.end_line}.`,
      strength: coverage * 0.5,
    };
  return { text: `${label}${shortened(text)}`, strength: Math.max(computeCoverage(text, terms), headed) };
}

function factText({ citation, lines, kind, titles }: Fact, number: number): string {
  const place = `[${number}] \`${citation.path}:${citation.start_line}-${citation.end_line}\``;
  const name = kind === 'code' ? titles.slice(0, 2).join(', ') : titles.slice(-2).join(' › ');
  return `${place}${name === '' ? '' : ` — ${escaped(name)}`}\n${quoted(lines, kind === 'prose', citation.path)}`;
}

/** Formats prose as a block quote. Code, and prose that Markdown could interpret, goes into a fenced block. */
function quoted(lines: readonly string[], isProse: boolean, path: string): string {
  const isPlain =
    isProse &&
    lines.every((line) => !/^\s*(?:```|~~~)|<|!\[|^( {4}|\t)|^\s*\|/.test(line)) &&
    /\.(?:md|mdx|markdown|txt)$|^[A-Z]+$/i.test(path);
  if (isPlain) return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
  const fence = '`'.repeat(longest + 1);
  const language = isProse ? '' : (/\.([a-z]{1,5})$/i.exec(path)?.[1] ?? '');
  return `${fence}${language}\n${lines.join('\n')}\n${fence}`;
}

const escaped = (text: string) => text.replace(/[\\*_[\]<>|]/g, (mark) => `\\${mark}`);

/** Composes the answer for places that probably answer: it names them and states nothing. */
export function composeLikely(facts: readonly Fact[], notes: readonly string[]): string {
  const places = facts.map(({ citation }) => `\`${citation.path}:${citation.start_line}-${citation.end_line}\``);
  return composeAnswer(`Probably here: ${places.join(', ')}.`, facts, notes);
}

const SUBMODULES_NAMED_MAX = 5;

/** Composes the answer for weak evidence: the terms that were searched, and the nearest names that exist. */
export function composeNotFound(
  terms: readonly WeighedTerm[],
  {
    files,
    left_out: leftOut,
    not_text: notText = 0,
    pending,
    submodules = [],
  }: Answer['searched'] & { submodules?: readonly string[] },
  near: readonly { path: string; title: string; startLine: number }[],
  notes: readonly string[] = [],
): string {
  const words = terms.slice(0, 12).map((term) => code(term.written));
  const unknown = terms.filter((term) => term.isForeign && pending === undefined).map((term) => code(term.written));
  const searched =
    words.length === 0
      ? `The question names nothing to search for in the ${files} files of this project.`
      : `Searched ${files} files for ${words.join(', ')}.`;
  const others = [
    ...(leftOut > submodules.length ? [`${leftOut - submodules.length} too many, too large or not checked out`] : []),
    ...(notText > 0 ? [`${notText} not text`] : []),
    ...submodules.slice(0, SUBMODULES_NAMED_MAX).map((path) => `the submodule ${code(path, 200)}`),
    ...(submodules.length > SUBMODULES_NAMED_MAX ? [`${submodules.length - SUBMODULES_NAMED_MAX} more of them`] : []),
  ];
  const left = others.length === 0 ? [] : [`Left out: ${others.join(', ')}.`];
  const parts = [
    pending === undefined ? 'Not found in this project.' : 'Not found in the files that were read so far.',
    [searched, ...left, ...(unknown.length === 0 ? [] : [`Nowhere in it: ${unknown.join(', ')}.`])].join(' '),
  ];
  if (near.length > 0)
    parts.push(
      'Nearest names: ' +
        `${near.map((one) => `${code(one.title.split(' > ').at(-1) ?? one.title)} (\`${one.path}:${one.startLine}\`)`).join(', ')}.`,
    );
  return [...parts, ...notes, NO_MODEL_LINE].join('\n\n');
}

const code = (text: string, most = 60) =>
  `\`${text
    .replace(/[`\s]+/g, ' ')
    .trim()
    .slice(0, most)}\``;
