import type { ContextDoc } from '../../contract/asks.js';
import { splitLines } from './passages/file-worth.js';
import { readPassage } from './passages/passage-text.js';
import { splitPassages } from './passages/passages.js';
import type { Reading } from './question.js';
import { bestQuote } from './quotes.js';
import { type Ranked, rank, type WeighedTerm } from './ranking.js';

const COVERAGE_ENOUGH = 0.55;

/**
 * Returns a paragraph that quotes the caller's documents if they cover the question, else none. They are never cited.
 */
export function documentNote(
  documents: readonly ContextDoc[],
  reading: Reading,
  terms: readonly WeighedTerm[],
): string[] {
  const ranked = documents.flatMap((document) => fromDocument(document, reading, terms));
  const best = ranked.filter((one) => one.coverage >= COVERAGE_ENOUGH).sort((a, b) => b.score - a.score)[0];
  const quote = best && bestQuote(best, terms);
  if (!best || !quote) return [];
  const name = best.passage.path.replace(/[`\p{Cc}]+/gu, ' ').slice(0, 120);
  const longest = Math.max(2, ...quote.lines.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [
    `From \`${name}\`, which came with the question and is not a file of this ` +
      `project:\n${fence}\n${quote.lines.join('\n')}\n${fence}`,
  ];
}

function fromDocument(document: ContextDoc, reading: Reading, terms: readonly WeighedTerm[]): Ranked[] {
  const lines = splitLines(document.content);
  return splitPassages(document.filename, lines).map(({ startLine, endLine, kind, title }, index) => {
    const text = readPassage(lines.slice(startLine - 1, endLine), title, document.filename);
    const passage = {
      id: -index,
      file: -1,
      path: document.filename,
      worth: 1,
      changedMs: 0,
      startLine,
      endLine,
      kind,
      title,
      bm25: 0,
    };
    return rank(passage, text, terms, reading, { newestMs: 0, meanLength: 220 });
  });
}
