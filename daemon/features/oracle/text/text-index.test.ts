import { describe, expect, it } from 'vitest';
import { EMPTY_ROW } from '../../../testing/catalog-row.js';
import { type QueryTerm, TextIndex } from './text-index.js';

/** Rows of words that are their own stems. A tag counts twice. */
const ROWS = [
  { description: 'karn bolt' },
  { description: 'karn karn dorm dorm dorm', tags: ['lamp'] },
  { description: 'bolt lamp dorm fork mast', tags: ['mast'] },
  { description: 'fork' },
];
const LENGTHS = [2, 7, 7, 1];

function add(index: TextIndex, ...rows: readonly { description: string; tags?: string[] }[]): void {
  for (const row of rows) index.add({ ...EMPTY_ROW, ...row });
}

function frozen(...rows: readonly { description: string; tags?: string[] }[]): TextIndex {
  const index = new TextIndex();
  add(index, ...rows);
  for (const _ of index.freeze());
  return index;
}

const termOf = (index: TextIndex, word: string) => index.lexicon.getTerm(word) as number;
const rarity = (live: number, holders: number) => Math.log(1 + (live - holders + 0.5) / (holders + 0.5));
const impact = (weight: number, length: number, average: number) =>
  (weight * 2.2) / (weight + 1.2 * (0.4 + (0.6 * length) / average));

/** The scores of all rows, the slots in `touched`, and their number. */
function scored(index: TextIndex, terms: readonly QueryTerm[], before: readonly number[] = []) {
  const scores = new Float32Array(index.rows.size);
  scores.set(before);
  const touched = new Uint32Array(index.rows.size);
  const count = index.score(terms, scores, touched);
  return { scores: [...scores], touched: [...touched.subarray(0, count)] };
}

const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 5));

describe('the score of a row', () => {
  const average = LENGTHS.reduce((sum, length) => sum + length, 0) / LENGTHS.length;

  it('is its BM25 over the weighted words, for rows that were there when the index was laid out', () => {
    const index = frozen(...ROWS);
    const { scores, touched } = scored(index, [
      { term: termOf(index, 'karn'), weight: 1 },
      { term: termOf(index, 'mast'), weight: 0.5 },
    ]);
    expect(scores).toEqual(
      near([
        rarity(4, 2) * impact(1, 2, average),
        rarity(4, 2) * impact(2, 7, average),
        0.5 * rarity(4, 1) * impact(3, 7, average),
        0,
      ]),
    );
    expect(touched).toEqual([0, 1, 2]);
  });

  it('of a row that came later is reckoned with the average length of the others', () => {
    const index = frozen(...ROWS);
    add(index, { description: 'karn karn helm' }, { description: 'karn helm' });
    const { scores, touched } = scored(index, [
      { term: termOf(index, 'karn'), weight: 1 },
      { term: termOf(index, 'helm'), weight: 1 },
    ]);
    expect(scores).toEqual(
      near([
        rarity(6, 4) * impact(1, 2, average),
        rarity(6, 4) * impact(2, 7, average),
        0,
        0,
        rarity(6, 4) * impact(2, 3, average) + rarity(6, 2) * impact(1, 3, average),
        rarity(6, 4) * impact(1, 2, average) + rarity(6, 2) * impact(1, 2, average),
      ]),
    );
    expect(touched).toEqual([0, 1, 4, 5]);
  });

  it('counts a row as twenty words on average while there is none', () => {
    const index = frozen();
    add(index, { description: 'karn bolt' });
    const { scores } = scored(index, [{ term: termOf(index, 'karn'), weight: 1 }]);
    expect(scores).toEqual(near([rarity(1, 1) * impact(1, 2, 20)]));
  });

  it('is none for the last word of the index in a row that does not contain it', () => {
    const index = frozen({ description: 'karn' }, { description: 'bolt' });
    const { scores, touched } = scored(index, [{ term: termOf(index, 'bolt'), weight: 1 }]);
    expect(scores).toEqual(near([0, rarity(2, 1) * impact(1, 1, 1)]));
    expect(touched).toEqual([1]);
  });

  it('is added to what the row has, which is not listed twice', () => {
    const index = frozen(...ROWS);
    add(index, { description: 'karn' });
    const { scores, touched } = scored(index, [{ term: termOf(index, 'karn'), weight: 1 }], [3, 0, 0, 0, 4]);
    expect(touched).toEqual([1]);
    expect(scores[0]).toBeCloseTo(3 + rarity(5, 3) * impact(1, 2, average), 5);
    expect(scores[4]).toBeCloseTo(4 + rarity(5, 3) * impact(1, 1, average), 5);
  });

  it('without a list of slots is given only to rows that have one already', () => {
    const index = frozen(...ROWS);
    add(index, { description: 'karn' }, { description: 'karn' });
    const scores = Float32Array.from([0, 2, 0, 0, 0, 5]);
    expect(index.score([{ term: termOf(index, 'karn'), weight: 1 }], scores)).toBe(0);
    expect([...scores]).toEqual(
      near([0, 2 + rarity(6, 4) * impact(2, 7, average), 0, 0, 0, 5 + rarity(6, 4) * impact(1, 1, average)]),
    );
  });

  it('is none, and its row is not listed, for a word whose rows are all gone', () => {
    const index = frozen(...ROWS);
    index.remove(1);
    index.remove(2);
    expect(scored(index, [{ term: termOf(index, 'dorm'), weight: 1 }]).touched).toEqual([]);
    expect(scored(index, [{ term: termOf(index, 'karn'), weight: 0 }]).touched).toEqual([]);
  });
});

describe('a row that is removed', () => {
  it('counts no longer for the rarity of its words', () => {
    const index = frozen(...ROWS);
    expect([index.liveRows, index.rarity(termOf(index, 'karn'))]).toEqual([4, rarity(4, 2)]);
    index.remove(1);
    expect([index.liveRows, index.rarity(termOf(index, 'karn'))]).toEqual([3, rarity(3, 1)]);
    expect(index.rarity(termOf(index, 'lamp'))).toBe(rarity(3, 1));
    index.remove(0);
    expect(index.rarity(termOf(index, 'karn'))).toBe(0);
    expect(index.rarity(termOf(index, 'bolt'))).toBe(rarity(2, 1));
  });

  it('counts no longer for the average length', () => {
    const index = new TextIndex();
    add(index, ...ROWS);
    index.remove(2);
    for (const _ of index.freeze());
    const { scores } = scored(index, [{ term: termOf(index, 'karn'), weight: 1 }]);
    expect(scores[0]).toBeCloseTo(rarity(3, 2) * impact(1, 2, 10 / 3), 5);
  });
});

it('the best score is that of a row of all the words, and half the rarest for each word that no row has', () => {
  const index = frozen(...ROWS);
  const terms = [
    { term: termOf(index, 'karn'), weight: 1 },
    { term: termOf(index, 'mast'), weight: 0.5 },
  ];
  const own = rarity(4, 2) + 0.5 * rarity(4, 1);
  expect(index.best(terms, 0)).toBeCloseTo(own * 2.2, 10);
  expect(index.best(terms, 3)).toBeCloseTo((own + 3 * 0.5 * rarity(4, 0)) * 2.2, 10);
  expect(index.best([], 0)).toBe(0);
});

it('a row of words for which there is no room has the others', () => {
  const index = frozen({ description: 'karn bolt' });
  (index.lexicon.stems as string[]).length = 1_000_000;
  add(index, { description: 'karn helm' });
  expect(index.lexicon.getTerm('helm')).toBeUndefined();
  expect(scored(index, [{ term: termOf(index, 'karn'), weight: 1 }]).touched).toEqual([0, 1]);
});

it.each([
  [1_999, 0],
  [2_000, 2],
  [4_001, 4],
])('laying out %i rows gives way to others %i times', (rows, times) => {
  const index = new TextIndex();
  for (let row = 0; row < rows; row += 1) index.add(EMPTY_ROW);
  expect([...index.freeze()]).toHaveLength(times);
});
