/** Lines of one text, and of one block of it: some of them are read again for each that follows. */
const LINES_MAX = 3_000;
const BLOCK_LINES_MAX = 400;
/** Characters of which a reader of Markdown tries every pair within a block. */
const PAIRED = '*_~[]!';
const BLOCK_PAIRED_MAX = 800;
/** Cells of all tables of a text; each row is given as many as its table's head has, however few it says. */
const CELLS_MAX = 2_000;
/** The line between the head of a table and its rows, within a quote or a list too. */
const BELOW_HEAD = /^(?:[-|: \t>*+.)\d]*[>*+.)\d])?[|: \t]*-[-|: \t]*$/;
/** Quotes and lists within each other, deeper than anybody writes. */
const NESTED = /^[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*){12}/m;

export const isDeeplyNested = (text: string): boolean => NESTED.test(text);

/** Whether reading a text as Markdown would hold up the page, as only a text does that was built for it. */
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
