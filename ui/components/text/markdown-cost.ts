/** The most lines in a text, and in one block of it. A parser reads some lines again for each that follows. */
const LINES_MAX = 3_000;
const BLOCK_LINES_MAX = 400;
/** Characters of which a Markdown parser tries every pair within a block. */
const PAIRED = '*_~[]!';
const BLOCK_PAIRED_MAX = 800;
/** The most cells in all tables of a text. A parser pads each row to the width of its table's head. */
const CELLS_MAX = 2_000;
/** Matches the line between a table's head and its rows, also within a quote or a list. */
const BELOW_HEAD = /^(?:[-|: \t>*+.)\d]*[>*+.)\d])?[|: \t]*-[-|: \t]*$/;
/** Matches quotes and lists nested more deeply than anyone writes. */
const NESTED = /^[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*){12}/m;

export const isDeeplyNested = (text: string): boolean => NESTED.test(text);

/** Reports whether rendering a text as Markdown would block the page, as only a text made for that purpose does. */
export function isCostlyMarkdown(text: string): boolean {
  if (isDeeplyNested(text) || hasTooManyCells(text)) return true;
  let lines = 1;
  let blockLines = 1;
  let paired = 0;
  let isBlank = true;
  for (const letter of text) {
    if (letter === '\n') {
      lines += 1;
      blockLines = isBlank ? 1 : blockLines + 1;
      if (isBlank) paired = 0;
      isBlank = true;
    } else if (letter !== ' ' && letter !== '\t' && letter !== '\r') {
      isBlank = false;
      if (PAIRED.includes(letter)) paired += 1;
    }
    if (lines > LINES_MAX || blockLines > BLOCK_LINES_MAX || paired > BLOCK_PAIRED_MAX) return true;
  }
  return false;
}

function hasTooManyCells(text: string): boolean {
  if (!text.includes('|')) return false;
  let cells = 0;
  let head = 0;
  let columns = 0;
  for (const line of text.split('\n', LINES_MAX)) {
    const parts = line.trim() === '' ? 0 : line.split('|').length;
    if (parts === 0) columns = 0;
    else if (columns === 0 && parts > 1 && BELOW_HEAD.test(line)) {
      columns = parts;
      cells += head;
    }
    if (columns > 0) cells += Math.max(columns, parts);
    if (cells > CELLS_MAX) return true;
    head = parts;
  }
  return false;
}
