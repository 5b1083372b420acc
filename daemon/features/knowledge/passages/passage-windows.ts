/** Consecutive lines of a file that belong together. Lines are counted from 1; both ends are inclusive. */
export interface Passage {
  startLine: number;
  endLine: number;
  /** `fenced` is a part of a section that starts inside a fenced block. */
  kind: 'section' | 'fenced' | 'code' | 'text';
  /** The headings above it, or the names that it defines. */
  title: string;
}

/** The minimum number of lines of a passage before merging, and the maximum. */
export const PASSAGE_MIN_LINES = 5;
export const PASSAGE_MAX_LINES = 40;

/**
 * Cuts lines `from` to `to` into parts of at most 60 lines. Prefers a blank line followed by the least indented line.
 */
export function splitIntoWindows(lines: readonly string[], from: number, to: number): [number, number][] {
  const parts: [number, number][] = [];
  let start = from;
  while (to - start + 1 > PASSAGE_MAX_LINES) {
    const end = findBestCut(lines, start);
    parts.push([start, end]);
    start = end + 1;
  }
  if (start <= to) parts.push([start, to]);
  return parts;
}

function findBestCut(lines: readonly string[], start: number): number {
  let best = start + PASSAGE_MAX_LINES - 1;
  let least = Number.POSITIVE_INFINITY;
  for (let line = start + PASSAGE_MAX_LINES - 1; line >= start + PASSAGE_MAX_LINES / 3; line -= 1) {
    if (/\S/.test(lines[line - 1] ?? '')) continue;
    const indent = /^\s*/.exec(lines[line] ?? '')?.[0].length ?? 0;
    if (indent < least) {
      least = indent;
      best = line;
    }
  }
  return best;
}
