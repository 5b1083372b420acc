import type { Citation } from '../../contract/asks.js';
import { NO_MODEL_LINE } from './knowledge.js';
import type { Reading } from './question.js';
import { bestQuote, type Quote } from './quotes.js';
import type { Ranked, WeighedTerm } from './ranking.js';
import type { Found } from './search.js';
import { bestSentence, definitionLine, plainText, shortened } from './sentences.js';

const FACTS_MAX = 5;
const WORDS_ENOUGH = 150;
const WORDS_MAX = 320;

/** A quote with its place and citation: what the answer says, and where it stands. */
export interface Fact {
  ranked: Ranked;
  quote: Quote;
  citation: Citation;
}

export type Cite = (path: string, startLine: number, endLine: number) => Citation | undefined;

/**
 * The facts to answer with: the best passage of each of the best files first, then more of the best file, until there is enough to read.
 * The same found passages give the same facts.
 */
export function chooseFacts(found: Found, cite: Cite): Fact[] {
  const top = found.files[0]?.score ?? 0;
  const best = found.files[0]?.passages[0]?.score ?? 0;
  const order: Ranked[] = [];
  found.files.slice(0, 3).forEach((file, index) => {
    if (index > 0 && file.score < top * 0.6) return;
    order.push(...file.passages.slice(0, 1));
  });
  const more = found.files
    .slice(0, 2)
    .flatMap((file) => file.passages.slice(1, 3))
    .filter((one) => one.score >= best * 0.72)
    .sort((a, b) => b.score - a.score);
  order.push(...more);
  const facts: Fact[] = [];
  let words = 0;
  for (const ranked of order) {
    if (facts.length >= FACTS_MAX || (facts.length >= 3 && words >= WORDS_ENOUGH)) break;
    const fact = factOf(ranked, found.terms, cite);
    const length = fact ? countWords(fact.quote.lines.join(' ')) : 0;
    if (!fact || (facts.length > 0 && words + length > WORDS_MAX - 60) || facts.some((other) => overlaps(other.citation, fact.citation))) continue;
    facts.push(fact);
    words += length;
  }
  return facts;
}

function factOf(ranked: Ranked, terms: readonly WeighedTerm[], cite: Cite): Fact | undefined {
  const quote = bestQuote(ranked, terms);
  const citation = quote && cite(ranked.passage.path, quote.startLine, quote.endLine);
  return quote && citation ? { ranked, quote, citation } : undefined;
}

const overlaps = (a: Citation, b: Citation) => a.path === b.path && a.start_line <= b.end_line && b.start_line <= a.end_line;
const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

/** The answer's Markdown: one direct sentence, then each fact as it stands in its file, then what answered. */
export function composeAnswer(facts: readonly Fact[], found: Found, reading: Reading, notes: readonly string[] = []): string {
  const first = facts[0] as Fact;
  const parts = [`${leadOf(first, found.terms, reading)} [1]`, ...notes, ...facts.map((fact, index) => factText(fact, index + 1)), NO_MODEL_LINE];
  return parts.join('\n\n');
}

/** The one sentence that answers, taken from the first fact. */
function leadOf(fact: Fact, terms: readonly WeighedTerm[], reading: Reading): string {
  const { ranked, quote, citation } = fact;
  const isCode = ranked.passage.kind === 'code';
  const definition = isCode ? definitionLine(quote.lines) : undefined;
  const sentence = bestSentence(quote.lines, isCode, terms);
  if (isCode) {
    const place = `\`${citation.path}\`, line ${citation.start_line + (definition?.index ?? 0)}`;
    const name = definition?.name ?? ranked.passage.title.split(', ')[0] ?? '';
    if (reading.shape === 'where' && name !== '') return `**\`${name}\`** is in ${place}${sentence === undefined ? '.' : `: ${sentence}`}`;
    if (sentence !== undefined) return name === '' ? sentence : `**\`${name}\`** (${place}): ${sentence}`;
    return name === '' ? `The closest match is in ${place}.` : `The closest match is **\`${name}\`** in ${place}.`;
  }
  const heading = ranked.passage.title.split(' > ').at(-1)?.split(' / ')[0] ?? '';
  const label = heading === '' ? '' : `**${escaped(heading)}**: `;
  if (sentence !== undefined) return `${label}${sentence}`;
  const text = plainText(quote.lines.filter((line) => !/^\s*(?:```|~~~|#)/.test(line)).join('\n'));
  return text === '' || quote.lines.some((line) => /^\s*(?:```|~~~)/.test(line)) ? `${label}see \`${citation.path}\`, lines ${citation.start_line} to ${citation.end_line}.` : `${label}${shortened(text)}`;
}

function factText(fact: Fact, number: number): string {
  const { citation, quote, ranked } = fact;
  const place = `[${number}] \`${citation.path}:${citation.start_line}-${citation.end_line}\``;
  const title = ranked.passage.title.split(ranked.passage.kind === 'code' ? ', ' : ' > ');
  const name = ranked.passage.kind === 'code' ? title.slice(0, 2).join(', ') : title.slice(-2).join(' › ');
  return `${place}${name === '' ? '' : ` — ${escaped(name)}`}\n${quoted(quote.lines, ranked.passage.kind !== 'code', citation.path)}`;
}

/** Prose as a block quote; anything that could mean something else to a Markdown reader, and code, inside a fence. */
function quoted(lines: readonly string[], isProse: boolean, path: string): string {
  const isPlain = isProse && lines.every((line) => !/^\s*(?:```|~~~)|<|!\[|^( {4}|\t)|^\s*\|/.test(line)) && /\.(?:md|mdx|markdown|txt)$|^[A-Z]+$/i.test(path);
  if (isPlain) return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
  const fence = '`'.repeat(longest + 1);
  const language = isProse ? '' : (/\.([a-z]{1,5})$/i.exec(path)?.[1] ?? '');
  return `${fence}${language}\n${lines.join('\n')}\n${fence}`;
}

const escaped = (text: string) => text.replace(/[\\*_[\]<>|]/g, (mark) => `\\${mark}`);

/** What is said when the evidence is too weak: what was looked for, and the nearest names there are. */
export function composeNotFound(found: Found, files: number, near: readonly { path: string; title: string; startLine: number }[], notes: readonly string[] = []): string {
  const words = found.terms.slice(0, 12).map((term) => code(term.written));
  const unknown = found.terms.filter((term) => term.isForeign).map((term) => code(term.written));
  const searched = words.length === 0 ? `The question names nothing to search for in the ${files} files of this project.` : `Searched ${files} files for ${words.join(', ')}.`;
  const parts = ['Not found in this project.', [searched, ...(unknown.length === 0 ? [] : [`Nowhere in it: ${unknown.join(', ')}.`])].join(' ')];
  if (near.length > 0) parts.push(`Nearest names: ${near.map((one) => `${code(one.title.split(' > ').at(-1) ?? one.title)} (\`${one.path}:${one.startLine}\`)`).join(', ')}.`);
  return [...parts, ...notes, NO_MODEL_LINE].join('\n\n');
}

const code = (text: string) => `\`${text.replace(/[`\s]+/g, ' ').trim().slice(0, 60)}\``;

