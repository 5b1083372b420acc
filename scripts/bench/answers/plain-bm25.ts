import { fold, stemWord } from '../../../daemon/lib/text/words.js';

const WINDOW_LINES = 20;
const K1 = 1.2;
const B = 0.75;

/** A place that the peer finds: lines of a file, counted from 1. */
export interface Place {
  path: string;
  startLine: number;
  endLine: number;
}

interface Window extends Place {
  counts: Map<string, number>;
  length: number;
}

const STOP = new Set(
  (
    'a an and are as at be but by can do does for from has have how i if in is it its my not of on or so that the ' +
    'this to was what when where which why will with you'
  ).split(' '),
);

const tokenize = (text: string) =>
  (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP.has(word)).map(stemWord);

/**
 * The search that anybody would write first: BM25 over windows of twenty lines, and over the sections of Markdown
 * files. No field, no knowledge of code.
 */
export class PlainBm25 {
  private readonly windows: Window[] = [];
  private readonly frequency = new Map<string, number>();
  private readonly meanLength: number;

  constructor(files: Iterable<{ path: string; lines: readonly string[] }>) {
    for (const { path, lines } of files)
      for (const [startLine, endLine] of cut(path, lines)) this.add({ path, startLine, endLine }, lines);
    this.meanLength = this.windows.reduce((sum, { length }) => sum + length, 0) / Math.max(1, this.windows.length);
  }

  private add(place: Place, lines: readonly string[]): void {
    const counts = new Map<string, number>();
    const all = tokenize(lines.slice(place.startLine - 1, place.endLine).join('\n'));
    for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const word of counts.keys()) this.frequency.set(word, (this.frequency.get(word) ?? 0) + 1);
    this.windows.push({ ...place, counts, length: all.length });
  }

  search(question: string, limit: number): Place[] {
    const asked = [...new Set(tokenize(question))].map((word) => {
      const frequency = this.frequency.get(word) ?? 0;
      return { word, idf: Math.log(1 + (this.windows.length - frequency + 0.5) / (frequency + 0.5)) };
    });
    const scored = this.windows.map((window) => {
      const norm = K1 * (1 - B + (B * window.length) / this.meanLength);
      const score = asked.reduce((sum, { word, idf }) => {
        const count = window.counts.get(word) ?? 0;
        return sum + (idf * count * (K1 + 1)) / (count + norm);
      }, 0);
      return { window, score };
    });
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ window: { path, startLine, endLine } }) => ({ path, startLine, endLine }));
  }
}

function cut(path: string, lines: readonly string[]): [number, number][] {
  const starts = /\.(?:md|markdown)$/i.test(path)
    ? [1, ...lines.flatMap((line, index) => (index > 0 && /^#{1,6}\s/.test(line) ? [index + 1] : []))]
    : Array.from({ length: Math.ceil(lines.length / WINDOW_LINES) }, (_, index) => index * WINDOW_LINES + 1);
  return starts.map((start, index) => [start, (starts[index + 1] ?? lines.length + 1) - 1]);
}
