import { codePassages } from './code-passages.js';
import { markdownPassages } from './markdown-passages.js';
import { type Passage, windows } from './passage-windows.js';

const MARKDOWN = /\.(?:md|mdx|markdown)$/i;
const PROSE = /\.(?:txt|rst|adoc|asciidoc|org|log|csv|tsv|texi)$|(?:^|\/)[A-Z]+$/;

/** Splits a file into passages: Markdown by heading, code by definition, prose into windows at blank lines. */
export function splitPassages(path: string, lines: readonly string[]): Passage[] {
  if (lines.length === 0) return [];
  if (MARKDOWN.test(path)) return markdownPassages(lines);
  if (PROSE.test(path)) return textPassages(lines);
  return codePassages(lines);
}

function textPassages(lines: readonly string[]): Passage[] {
  return windows(lines, 1, lines.length).map(([startLine, endLine]) => ({
    startLine,
    endLine,
    kind: 'text',
    title: underlined(lines, startLine, endLine),
  }));
}

/** Returns the first heading of a plain text part: a line underlined with three or more equal marks such as `=`. */
function underlined(lines: readonly string[], startLine: number, endLine: number): string {
  for (let line = startLine; line < endLine; line += 1) {
    if (/^([=\-~^*#"])\1{2,}\s*$/.test(lines[line] ?? '') && /\S/.test(lines[line - 1] ?? ''))
      return (lines[line - 1] ?? '').trim().slice(0, 120);
  }
  return '';
}
