import { expect, it } from 'vitest';
import { RowWordsStore } from './row-words-store.js';
import { pairWords, type WordPairs } from './word-pairs.js';

/** The pairs of rows of terms, each with its row of the result: the term, its partners and their strengths. */
function pairsOf(rows: readonly (readonly number[])[], isLive: (slot: number) => boolean = () => true) {
  const store = new RowWordsStore();
  for (const terms of rows)
    store.append(
      terms.map((term) => ({ stem: `word${term}`, spellings: new Set<string>(), weight: 1, isCapability: false })),
      terms,
    );
  const live = rows.filter((_, slot) => isLive(slot));
  const steps = pairWords(
    store,
    isLive,
    (term) => live.filter((terms) => terms.includes(term)).length,
    1 + Math.max(...rows.flat()),
  );
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const partnersOf = ({ terms, starts, partners }: WordPairs, word: number) =>
  [...partners.subarray(starts[word], starts[word + 1])].map((partner) => terms[partner]);

it('pairs every word with the others of its rows, however many pairs there are', () => {
  const words = Array.from({ length: 300 }, (_, term) => term);
  const pairs = pairsOf([words]);
  expect(pairs.partners).toHaveLength(300 * 299);
  for (const word of [0, 1, 218, 299])
    expect(partnersOf(pairs, word).sort((a, b) => Number(a) - Number(b))).toEqual(words.filter((one) => one !== word));
  expect(pairs.strengths.every((strength) => Math.abs(strength - Math.log(300 / 299)) < 1e-6)).toBe(true);
});

it('leaves out rows that are not live', () => {
  const pairs = pairsOf(
    [
      [0, 1],
      [0, 2],
    ],
    (slot) => slot === 0,
  );
  expect([...pairs.terms]).toEqual([0, 1]);
  expect([partnersOf(pairs, 0), partnersOf(pairs, 1)]).toEqual([[1], [0]]);
});
