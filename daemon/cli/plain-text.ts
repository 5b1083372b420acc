import { displayWidth } from './display-width.js';

/** Indentation of quotes and code. */
const INDENT = '    ';
/** Narrower than this, text is not wrapped. */
const WIDTH_MIN = 20;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** An escaped mark, code, or strong text. No part of it can match in two ways. */
const MARKS = /\\([!-/:-@[-`{-~])|`([^`]*)`|\*\*([^\s*](?:[^*]*[^\s*])?)\*\*/g;
const LEAD = /^(\s*(?:(?:[-*+]|\d{1,9}[.)]|\[\d{1,9}\])\s)?)/;

/** A line of Markdown as plain text: `isVerbatim` lines are code. */
export interface PlainLine {
  text: string;
  /** The line as it was written. */
  source: string;
  isVerbatim: boolean;
}

/**
 * Converts Markdown to lines of plain text: code and quotes are indented, and the marks of code, strong text and
 * escapes are removed. Anything else stays as it is written. Takes time proportional to the text.
 */
export function toPlainLines(markdown: string): PlainLine[] {
  const lines: PlainLine[] = [];
  let fence: string | undefined;
  for (const source of markdown.split('\n')) {
    const mark = FENCE.exec(source)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && source.trim() === mark) fence = undefined;
      else lines.push({ text: source === '' ? '' : INDENT + source, source, isVerbatim: true });
    } else if (mark !== undefined) {
      fence = mark;
    } else {
      const quote = /^ {0,3}> ?/.exec(source)?.[0] ?? '';
      const text = toPlainInline(source.slice(quote.length));
      lines.push({ text: quote === '' || text === '' ? text : INDENT + text, source, isVerbatim: false });
    }
  }
  return lines;
}

/** Removes escapes and the marks of strong text outside code, and the marks of code. */
function toPlainInline(line: string): string {
  return line.replace(MARKS, (whole, escaped?: string, code?: string, strong?: string) => {
    if (strong !== undefined) return toPlainInline(strong);
    return escaped ?? code ?? whole;
  });
}

/** Wraps a line at spaces to `width` columns; continuation lines are indented like it. A longer word is not broken. */
export function wrapLine(line: string, width: number): string[] {
  if (width < WIDTH_MIN || displayWidth(line) <= width) return [line];
  const lead = LEAD.exec(line)?.[0] ?? '';
  const indent = ' '.repeat(Math.min(lead.length, width / 2));
  const lines: string[] = [];
  let current = lead;
  let columns = displayWidth(lead);
  let isEmpty = true;
  for (const word of line.slice(lead.length).split(' ')) {
    const wordColumns = displayWidth(word);
    if (!isEmpty && columns + 1 + wordColumns > width) {
      lines.push(current);
      current = indent;
      columns = indent.length;
      isEmpty = true;
    }
    current += isEmpty ? word : ` ${word}`;
    columns += wordColumns + (isEmpty ? 0 : 1);
    isEmpty = false;
  }
  return [...lines, current];
}
