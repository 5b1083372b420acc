import { readPassage } from '../../features/knowledge/passages/passage-text.js';
import { createForm, type Reading } from '../../features/knowledge/question.js';
import type { Ranked, WeighedTerm } from '../../features/knowledge/ranking.js';
import type { FoundPassage } from '../../storage/database/passage-reader.js';

/** A question of this kind in English without a word. */
export const emptyReading = (shape: Reading['shape'] = 'what'): Reading => ({
  shape,
  terms: [],
  said: new Set(),
  isOtherLanguage: false,
  literals: [],
});

/** A word of a question that occurs in the project and weighs 1. */
export const weighedTerm = (word: string, parts: Partial<WeighedTerm> = {}): WeighedTerm => ({
  ...{ written: word, word, forms: [createForm([word], 1)], weight: 1, frequency: 1 },
  ...{ isName: false, isCapitalised: false, isKnown: true, isEveryday: false, isForeign: false },
  ...{ isTechnology: false, isCorrected: false },
  ...parts,
});

/** A name of several parts, as `readQuestion` reads it. */
export const namedTerm = (written: string, words: readonly string[], parts: Partial<WeighedTerm> = {}): WeighedTerm =>
  weighedTerm(words.join(''), {
    ...{ written, isName: true, forms: [createForm([words.join('')], 1), createForm(words, 0.95)] },
    ...parts,
  });

export const foundPassage = (parts: Partial<FoundPassage> = {}): FoundPassage => ({
  ...{ id: 1, file: 1, path: 'src/a.ts', worth: 1, changedMs: 0, startLine: 1, endLine: 1 },
  ...{ kind: 'code', title: '', bm25: 0 },
  ...parts,
});

const GROUNDS = { words: 1, close: 0, neighbours: 0, literals: 0, file_name: 0, kind: 1, whole_file: 0 };

/** A passage of these lines with a score of 1. */
export function rankedPassage(
  text: string,
  passage: Partial<FoundPassage> = {},
  parts: Partial<Omit<Ranked, 'passage' | 'text'>> = {},
): Ranked {
  const lines = text.split('\n');
  const found = foundPassage({ endLine: (passage.startLine ?? 1) + lines.length - 1, ...passage });
  return {
    ...{ passage: found, text: readPassage(lines, found.title, found.path), score: 1, grounds: GROUNDS },
    ...{ coverage: 1, closeness: 1, strengths: [], isDefinition: false },
    ...parts,
  };
}
