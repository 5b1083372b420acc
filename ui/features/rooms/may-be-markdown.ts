import { isDeeplyNested } from '../../components/markdown-cost.js';

/** What is longer is never read as Markdown: it is meant for machines, or for the patience of a browser. */
const CHARS_MAX = 16_000;
const LINES_MAX = 300;
/** Characters of which a reader of Markdown tries every pair. */
const PAIRED_MAX = 300;
/** What may be Markdown. Most of what is said is not, and is drawn as it is. */
const MARKS = /[*_`~#[\]<>|\\!&@]|:\/\/|www\.|^[ \t]*(?:[-+]|\d+[.)])\s|^ {4}|^ {0,3}[-=]+[ \t]*$/m;
/**
 * Whether a text is read as Markdown. One that is built so that reading it takes long is not: whoever speaks in a room must not hold up those who listen.
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
