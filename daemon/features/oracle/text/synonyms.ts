import { stemWord, words } from '../../../lib/text/words.js';
import { ENGLISH_SYNONYMS } from './english-synonyms.js';

/**
 * Words that may stand for each other in a request, by stem: a short list of this project, of services in plain
 * English. A word may be in several groups. It helps in catalogs that are too small to derive similar words from their
 * rows, and with words that no row contains.
 */
export class Synonyms {
  private groups: Map<string, string[]> | undefined;

  constructor(private readonly lines = ENGLISH_SYNONYMS) {}

  /** Returns the synonyms of `stem`, those of its first group first; empty for a word that is in no group. */
  of(stem: string): readonly string[] {
    this.groups ??= this.read();
    return this.groups.get(stem) ?? [];
  }

  /** Called on first use, so that a daemon with an empty catalog does not parse the list. */
  private read(): Map<string, string[]> {
    const groups = new Map<string, string[]>();
    for (const line of this.lines.trim().split('\n')) {
      // The letter of `x-ray` stands for nothing by itself, and ids hold letters.
      const group = [...new Set(words(line).map(stemWord))].filter((stem) => stem.length > 1);
      for (const stem of group)
        groups.set(stem, [...(groups.get(stem) ?? []), ...group.filter((other) => other !== stem)]);
    }
    return groups;
  }
}
