import { definedName } from '../../../daemon/features/knowledge/passages/code-passages.js';

/** The start of a line that is a comment; attributes, decorators and lines of the preprocessor are none. */
const COMMENT =
  /^\s*(?:\/\/|\/\*|\*|--|#(?![[!]|\s*(?:define|include|if|ifdef|ifndef|else|elif|endif|pragma|undef)\b))/;
const ATTRIBUTE = /^\s*(?:@\w|#\[|\[\w+[\](])/;
const SIGNATURE_LINES = 12;
const DOC_STRING = /^\s*[rRuU]?("""|''')/;

/**
 * Returns the text with an empty line for each line of a comment that stands directly above a definition, and of a doc
 * string of Python. Every other line keeps its number.
 */
export function withoutDocComments(path: string, text: string): string {
  const lines = text.split('\n');
  const isPython = path.endsWith('.py');
  lines.forEach((line, index) => {
    if (COMMENT.test(line) || definedName(line) === undefined) return;
    blankAbove(lines, index);
    if (isPython) blankDocString(lines, index);
  });
  return lines.join('\n');
}

function blankAbove(lines: string[], definition: number): void {
  for (let at = definition - 1; at >= 0; at -= 1) {
    const line = lines[at] as string;
    if (/\*\/\s*$/.test(line)) {
      const start = lines.findLastIndex((one, index) => index <= at && one.includes('/*'));
      // Code before a comment on the same line is no doc comment.
      if (start === -1 || !/^\s*\/\*/.test(lines[start] as string)) return;
      lines.fill('', start, at + 1);
      at = start;
    } else if (COMMENT.test(line)) lines[at] = '';
    else if (!ATTRIBUTE.test(line)) return;
  }
}

function blankDocString(lines: string[], definition: number): void {
  const signature = lines.slice(definition, definition + SIGNATURE_LINES);
  const end = signature.findIndex((line) => /:\s*(?:#.*)?$/.test(line));
  const start = definition + end + 1;
  const quotes = end === -1 ? undefined : DOC_STRING.exec(lines[start] ?? '')?.[1];
  if (quotes === undefined) return;
  const isClosed = (lines[start] as string).split(quotes).length > 2;
  const last = isClosed ? start : lines.findIndex((line, index) => index > start && line.includes(quotes));
  if (last !== -1) lines.fill('', start, last + 1);
}
