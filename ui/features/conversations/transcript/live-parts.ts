const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Splits Markdown that is still being written where a part is final: at blank lines outside of code. Only the last part
 * can still change, so only that one is rendered again. An incomplete fence at the end is held back.
 */
export function liveParts(text: string): string[] {
  const lines = text.split('\n');
  // One or two backticks alone may become a fence. Rendered as text they would make the code below jump.
  if (/^ {0,3}(`{1,2}|~{1,2})$/.test(lines.at(-1) ?? '')) lines.pop();
  const parts: string[] = [];
  let part: string[] = [];
  let fence = '';
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    if (fence === '' && line.trim() === '' && part.length > 0) {
      parts.push(part.join('\n'));
      part = [];
    } else if (line.trim() !== '' || part.length > 0) part.push(line);
  }
  if (part.length > 0) parts.push(part.join('\n'));
  return joinedLists(parts);
}

/**
 * Joins a list with the part that continues it (indented, or its next item). Alone, that part would render as code or
 * as another list.
 */
function joinedLists(parts: readonly string[]): string[] {
  const joined: string[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isContinued =
      last !== undefined && /^ {0,3}([-*+]|\d{1,9}[.)]) /.test(last) && /^( {2,}|\t|([-*+]|\d{1,9}[.)]) )/.test(part);
    if (isContinued) joined[joined.length - 1] = `${last}\n\n${part}`;
    else joined.push(part);
  }
  return joined;
}
