import { stemOf, words } from '../../lib/words.js';
import { ENGLISH_SYNONYMS } from './english-synonyms.js';

/**
 * Words that may stand for each other when somebody says what he needs, by stem: a short list of our own, of what services are asked for in plain English.
 * A word may stand in several groups. It helps a catalog that is too small to tell from its own rows which words are alike, and words that none of them uses.
 */
export class Synonyms {
  private groups: Map<string, string[]> | undefined;

  constructor(private readonly lines = ENGLISH_SYNONYMS) {}

  /** Stems that may stand for `stem`, those of its first group first; none for a word that is in no group. */
  of(stem: string): readonly string[] {
    this.groups ??= this.read();
    return this.groups.get(stem) ?? [];
  }

  /** Read when the first word is asked for: a daemon whose catalog is empty does without. */
  private read(): Map<string, string[]> {
    const groups = new Map<string, string[]>();
    for (const line of this.lines.trim().split('\n')) {
      const group = [...new Set(words(line).map(stemOf))];
      for (const stem of group)
        groups.set(stem, [...(groups.get(stem) ?? []), ...group.filter((other) => other !== stem)]);
    }
    return groups;
  }
}
