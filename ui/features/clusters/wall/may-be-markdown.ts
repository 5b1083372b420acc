import { isDeeplyNested } from '../../../components/text/markdown-cost.js';

/** Longer text is never rendered as Markdown: it is meant for machines, or made to be slow. */
const CHARS_MAX = 16_000;
const LINES_MAX = 300;
/** Characters of which a Markdown parser tries every pair. */
const PAIRED_MAX = 300;
/** Matches what may be Markdown. Most messages do not match and are rendered as plain text. */
const MARKS = /[*_`~#[\]<>|\\!&@]|:\/\/|www\.|^[ \t]*(?:[-+]|\d+[.)])\s|^ {4}|^ {0,3}[-=]+[ \t]*$/m;
/**
 * Reports whether a message is rendered as Markdown. Text that is costly to parse is not: one sender must not block the
 * tabs of the others.
 */
export function mayBeMarkdown(text: string): boolean {
  if (text.length > CHARS_MAX || !MARKS.test(text) || isDeeplyNested(text)) return false;
  let lines = 1;
  let paired = 0;
  for (const letter of text) {
    if (letter === '\n') lines += 1;
    else if ('*_~[]!'.includes(letter)) paired += 1;
  }
  return lines <= LINES_MAX && paired <= PAIRED_MAX;
}
