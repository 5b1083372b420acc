import { stemWord } from '../../../lib/text/words.js';
import type { QueryTerm } from './text-index.js';

/** The weights of a word of the same sense, and of one a step further, as shares of the word that was asked for. */
const SAME = 0.4;
const NEAR = 0.2;

/** A stem that may stand for a word, how much it counts, and whether it means the same. */
interface Related extends Pick<QueryTerm, 'weight'> {
  stem: string;
  isSame: boolean;
}

/** Words of everyday English that may stand for each other, by stem. Read when they are first needed. */
export class RelatedWords {
  private lines: Map<string, string> | undefined;

  /** `read` returns a line for each word, the most common first: `word same,same near,near`. */
  constructor(private readonly read: () => string) {}

  of(stem: string): Related[] {
    this.lines ??= this.index();
    const [same = '', near = ''] = (this.lines.get(stem) ?? '').split(' ');
    const listed = (words: string, isSame: boolean) =>
      words === ''
        ? []
        : words.split(',').map((word) => ({ stem: stemWord(word), weight: isSame ? SAME : NEAR, isSame }));
    return [...listed(same, true), ...listed(near, false)];
  }

  /** Of several words with one stem, the most common counts. */
  private index(): Map<string, string> {
    const lines = new Map<string, string>();
    for (const line of this.read().split('\n')) {
      const space = line.indexOf(' ');
      const stem = space > 0 ? stemWord(line.slice(0, space)) : '';
      if (stem !== '' && !lines.has(stem)) lines.set(stem, line.slice(space + 1));
    }
    return lines;
  }
}
