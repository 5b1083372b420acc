import { definedName } from './passages/code-passages.js';
import { computeCoverage, isAskedFor } from './quotes.js';
import type { WeighedTerm } from './ranking.js';

const SENTENCE_MAX_CHARS = 320;
/** Matches a comment line, and captures the text after the comment marker. */
const BEHIND_MARKER =
  /^\s*(?:\/\*\*?|\*(?!\/)|\/\/[/!]?|#(?!\s*(?:include|define|if|ifdef|ifndef|endif|pragma|else)\b)|--|;;)\s?([\s\S]*)/;

/** Converts Markdown to plain text on one line. Keeps backticks, since the answer is Markdown too. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/!\[[^\][]*\]\((?:[^()]|\([^()]*\))*\)/g, ' ')
    .replace(/\[([^\][]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\][]*\])/g, '$1')
    .replace(/<[^<>\s][^<>]*>/g, ' ')
    .replace(/(\*\*|__)(?=\S)([\s\S]*?\S)\1/g, '$2')
    .replace(/^[ \t]*(?:>|[-*+]|\d+[.)]|#{1,6})\s+/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Extracts the first comment of some lines of code, without its markers, on one line. */
export function commentText(lines: readonly string[]): string {
  const found: string[] = [];
  let docstring = '';
  for (const line of lines) {
    const quotes = /^\s*(?:[rRuUbB]{0,2})("""|''')/.exec(line)?.[1];
    if (docstring !== '') {
      found.push(line.replace(docstring, '').trim());
      if (line.includes(docstring)) break;
    } else if (quotes !== undefined) {
      const text = line.trim().replace(/^[rRuUbB]{0,2}(?:"""|''')/, '');
      found.push(text.replace(quotes, ''));
      if (text.includes(quotes)) break;
      docstring = quotes;
    } else {
      const text = BEHIND_MARKER.exec(line)?.[1]?.trimEnd().replace(/\*\/$/, '').trimEnd();
      if (text !== undefined) found.push(/^@|^!/.test(text) ? '' : text);
      else if (found.length > 0 && !/^\s*\*\/\s*$/.test(line)) break;
    }
  }
  return found.join(' ').replace(/\s+/g, ' ').trim();
}

/** Splits a text into sentences. Abbreviations and dots inside names do not end one. */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?:]["')\]]?)\s+(?=["'(`[]?[A-Z0-9`])/)
    .reduce<string[]>((all, part) => {
      const last = all.at(-1);
      if (last !== undefined && /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig)\.|\b[A-Z]\.)$/i.test(last))
        all[all.length - 1] = `${last} ${part}`;
      else all.push(part);
      return all;
    }, [])
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Returns the sentence of a quote that covers most of the question, with its coverage. Undefined without a match. */
export function bestSentence(
  lines: readonly string[],
  isCode: boolean,
  terms: readonly WeighedTerm[],
): { text: string; coverage: number } | undefined {
  const candidates = isCode
    ? splitSentences(commentText(lines))
    : blocks(lines).flatMap((block) => splitSentences(plainText(block)));
  let best: { text: string; coverage: number; score: number } | undefined;
  candidates.forEach((text, index) => {
    if (text.length < 12 || !/[a-z]{2}/i.test(text) || /[:,]$/.test(text) || text.split(' ').length < 3) return;
    const coverage = computeCoverage(text, terms);
    const score = coverage + (index === 0 ? 0.12 : 0) - (text.length > SENTENCE_MAX_CHARS ? 0.1 : 0);
    if (!best || score > best.score + 1e-9) best = { text, coverage, score };
  });
  return best && { text: shortened(best.text), coverage: best.coverage };
}

/** Returns the line of a quote that defines a requested name, else the first that defines any name, else undefined. */
export function definitionLine(
  lines: readonly string[],
  terms: readonly WeighedTerm[],
): { line: string; index: number; name: string } | undefined {
  let first: { line: string; index: number; name: string } | undefined;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    const assigned = /^\s*(?:[\w$]+\.)*([A-Za-z_$][\w$]*)['"]?\s*[:=](?!=)/.exec(line)?.[1];
    const name = assigned !== undefined && isAskedFor(assigned, terms) ? assigned : definedName(line);
    if (name === undefined) continue;
    const found = { line: line.trim(), index, name };
    if (isAskedFor(name, terms)) return found;
    first ??= found;
  }
  return first;
}

/** Returns the first line of the comment directly above line `index`, or `index` when there is none. */
export function commentStart(lines: readonly string[], index: number): number {
  let start = index;
  while (start > 0 && /^\s*(?:\/\/|\/?\*|#|--|@|;;)/.test(lines[start - 1] as string)) start -= 1;
  return start;
}

/** Returns paragraphs, list items and table rows, without fenced blocks and headings. */
function blocks(lines: readonly string[]): string[] {
  const found: string[] = [];
  let current: string[] = [];
  let isFenced = false;
  const end = () => {
    found.push(current.join('\n'));
    current = [];
  };
  for (const line of lines) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      end();
      isFenced = !isFenced;
    } else if (!isFenced) {
      if (!/\S/.test(line) || /^\s*#{1,6}\s/.test(line) || /^\s*[|=~-]+\s*$/.test(line)) end();
      else {
        if (/^\s*(?:[-*+]|\d+[.)])\s|^\s*\|/.test(line)) end();
        current.push(line.replace(/^\s*\||\|\s*$/g, ' ').replace(/\s\|\s/g, ' — '));
      }
    }
  }
  end();
  return found;
}

export function shortened(text: string): string {
  if (text.length <= SENTENCE_MAX_CHARS) return text;
  const cut = text.slice(0, SENTENCE_MAX_CHARS);
  return `${cut.slice(0, Math.max(200, cut.lastIndexOf(' '))).replace(/(?<![\s,;:.])[\s,;:.]+$/, '')} …`;
}
