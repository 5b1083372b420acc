import { describe, expect, it } from 'vitest';
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

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the strength of a pair', () => {
  const rows = [
    [0, 1],
    [0, 1],
    [0, 2],
    [1, 2, 3],
    [3, 4],
    [3, 4],
    [0, 3],
  ];

  /** The strengths by word and partner, as a plain count over all rows gives them. */
  function counted(least: number) {
    const holders = (...words: readonly number[]) =>
      rows.filter((terms) => words.every((word) => terms.includes(word))).length;
    const words = [0, 1, 2, 3, 4];
    const smoothed = (word: number) => holders(word) ** 0.75;
    const all = sum(words.map(smoothed));
    return words.flatMap((word) => {
      const others = words.filter((other) => other !== word && holders(word, other) > 0);
      const pairs = sum(others.map((other) => holders(word, other)));
      return others.flatMap((other) => {
        const strength = Math.log((holders(word, other) * all) / (pairs * smoothed(other)));
        return strength > 0 && holders(word, other) >= least ? [[word, other, expect.closeTo(strength, 5)]] : [];
      });
    });
  }

  const listed = ({ terms, starts, partners, strengths }: WordPairs) =>
    [...terms].flatMap((term, word) =>
      [...partners.subarray(starts[word], starts[word + 1])].map((partner, at) => [
        term,
        terms[partner],
        strengths[(starts[word] as number) + at],
      ]),
    );
  const byWords = (pairs: readonly unknown[][]) =>
    [...pairs].sort((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]));

  it('is how much more often than by chance its words share a row, where that is more', () => {
    const pairs = pairsOf(rows);
    expect(byWords(listed(pairs))).toEqual(counted(1));
    expect(counted(1).length).toBeLessThan(2 * 7);
  });

  it('counts from one shared row on in a catalog of fewer than five hundred rows, and from two on in a larger one', () => {
    const filled = (count: number) => [...rows, ...Array<number[]>(count - rows.length).fill([])];
    expect(byWords(listed(pairsOf(filled(499))))).toEqual(counted(1));
    expect(byWords(listed(pairsOf(filled(500))))).toEqual(counted(2));
  });

  it('is not asked of a word of a single row in a catalog of five hundred rows', () => {
    const filled = (count: number) => [[5, 0], ...rows, ...Array<number[]>(count - 1 - rows.length).fill([])];
    expect([...pairsOf(filled(499)).terms]).toContain(5);
    expect([...pairsOf(filled(500)).terms]).not.toContain(5);
  });
});

it('the words are numbered by how many rows have them, the most common first, equally common ones by their term', () => {
  expect([...pairsOf([[3, 1], [3, 2], [3, 0, 1], [4]]).terms]).toEqual([3, 1, 0, 2, 4]);
});

it('the 8,192 most common words are paired', () => {
  const steps = pairWords(
    new RowWordsStore(),
    () => true,
    (term) => (term >= 8_298 ? 2 : 1),
    8_300,
  );
  const { terms } = steps.next().value as WordPairs;
  expect(terms).toHaveLength(8_192);
  expect([...terms.subarray(0, 3)]).toEqual([8_298, 8_299, 0]);
  expect(terms.at(-1)).toBe(8_189);
});

describe('the work gives way to others', () => {
  it('while it lists many rows, each time it does so', () => {
    const store = new RowWordsStore();
    const word = { stem: 'word', spellings: new Set<string>(), weight: 1, isCapability: false };
    for (let row = 0; row < 1_000; row += 1) store.append(Array(301).fill(word), Array(301).fill(0));
    // Each of the two passes over 301,000 words, and not the word itself, which has no partner.
    expect([
      ...pairWords(
        store,
        () => true,
        () => 0,
        1,
      ),
    ]).toHaveLength(2 * 2);
  });

  it('while it counts the partners of many words', () => {
    const store = new RowWordsStore();
    const words = Array.from({ length: 250 }, (_, term) => term);
    const word = { stem: 'word', spellings: new Set<string>(), weight: 1, isCapability: false };
    for (let row = 0; row < 25; row += 1) store.append(Array(250).fill(word), words);
    // 6,250 words of rows for each word: every 25th word exceeds 150,000.
    expect([
      ...pairWords(
        store,
        () => true,
        () => 25,
        250,
      ),
    ]).toHaveLength(10);
  });
});
