import { codePassages } from './code-passages.js';
import { getHeadingFinder, type Heading, putHeading } from './headings.js';
import { markdownPassages } from './markdown-passages.js';
import { PASSAGE_MIN_LINES, type Passage, splitIntoWindows } from './passage-windows.js';

const MARKDOWN = /\.(?:md|mdx|markdown)$/i;
const PROSE = /\.(?:txt|rst|adoc|asciidoc|org|log|csv|tsv|texi|texinfo|pod|[1-9])$|(?:^|\/)[A-Z]+$/;

/** Splits a file into passages: documents by heading, code by definition, other prose into windows at blank lines. */
export function splitPassages(path: string, lines: readonly string[]): Passage[] {
  if (lines.length === 0) return [];
  if (MARKDOWN.test(path)) return markdownPassages(lines);
  const headings = getHeadingFinder(path)?.(lines) ?? [];
  if (headings.length > 0) return headedPassages(lines, headings);
  if (!PROSE.test(path)) return codePassages(lines);
  return splitIntoWindows(lines, 1, lines.length).map(([startLine, endLine]) => ({
    startLine,
    endLine,
    kind: 'text',
    title: '',
  }));
}

/** Returns a passage per section, titled by the headings above it. A section of a few lines joins the next. */
function headedPassages(lines: readonly string[], headings: readonly Heading[]): Passage[] {
  const found: Passage[] = [];
  const trail: string[] = [];
  let start = 1;
  let title = '';
  const end = (last: number) => {
    for (const [startLine, endLine] of splitIntoWindows(lines, start, last))
      found.push({ startLine, endLine, kind: 'text', title });
  };
  headings.forEach(({ line, level, text }, index) => {
    const above = putHeading(trail, level, text);
    const isShort = index > 0 && line + 1 - start < PASSAGE_MIN_LINES;
    if (!isShort) {
      end(line);
      start = line + 1;
    }
    title = above.join(' > ');
  });
  end(lines.length);
  return found;
}
