import type { Piece } from './highlight.js';

/** An occurrence in a line, from `start` to before `end` in UTF-16 units. */
export interface Match {
  line: number;
  start: number;
  end: number;
}

/** A part of a line, and the occurrence that it belongs to. */
export interface MarkedPiece extends Piece {
  match: Match | undefined;
}

/** The most occurrences that are returned. Those of a letter in a large file are of no use. */
export const MATCHES_MAX = 5_000;

/** Returns where `words` occur in the lines, whatever the case of letters, in the order of the text. */
export function findMatches(lines: readonly string[], words: string): Match[] {
  if (words === '') return [];
  const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'giu');
  const matches: Match[] = [];
  for (const [at, text] of lines.entries())
    for (const { index, 0: found } of text.matchAll(pattern)) {
      if (matches.length === MATCHES_MAX) return matches;
      matches.push({ line: at + 1, start: index, end: index + found.length });
    }
  return matches;
}

export function groupByLine(matches: readonly Match[]): ReadonlyMap<number, readonly Match[]> {
  const lines = new Map<number, Match[]>();
  for (const match of matches) {
    const line = lines.get(match.line);
    if (line) line.push(match);
    else lines.set(match.line, [match]);
  }
  return lines;
}

/** Splits the parts of a line where occurrences begin and end. */
export function markPieces(pieces: readonly Piece[], matches: readonly Match[]): MarkedPiece[] {
  const edges = matches.flatMap(({ start, end }) => [start, end]);
  let from = 0;
  return pieces.flatMap(({ text, kind }) => {
    const [start, end] = [from, from + text.length];
    from = end;
    const cuts = [start, ...edges.filter((edge) => edge > start && edge < end), end];
    return cuts.slice(1).map((to, at) => {
      const begin = cuts[at] ?? start;
      const match = matches.find((one) => begin >= one.start && begin < one.end);
      return { text: text.slice(begin - start, to - start), kind, match };
    });
  });
}
