import { expect, it } from 'vitest';
import { RowWordsStore } from './row-words-store.js';

const aWord = (weight: number, isCapability: boolean) => ({
  stem: 'word',
  spellings: new Set<string>(),
  weight,
  isCapability,
});

it('returns every word as it was stored, however many rows there are', () => {
  const store = new RowWordsStore();
  const rows = Array.from({ length: 3_000 }, (_, row) => Array.from({ length: row % 23 }, (_, at) => row * 7 + at));
  for (const [row, terms] of rows.entries()) {
    const words = terms.map((_, at) => aWord(1 + ((row + at) % 63), (row + at) % 3 === 0));
    expect(store.append(words, terms)).toBe(row);
  }
  expect(store.size).toBe(3_000);
  for (const [row, terms] of rows.entries()) {
    const places = terms.map((_, at) => store.start(row) + at);
    expect(store.end(row)).toBe(store.start(row) + terms.length);
    expect(places.map((place) => store.termAt(place))).toEqual(terms);
    expect(places.map((place) => store.weightAt(place))).toEqual(terms.map((_, at) => 1 + ((row + at) % 63)));
    expect(places.map((place) => store.isCapabilityAt(place))).toEqual(terms.map((_, at) => (row + at) % 3 === 0));
  }
});

it('has room for a row of more words than all before it', () => {
  const store = new RowWordsStore();
  store.append([aWord(2, true)], [5]);
  store.append(
    Array.from({ length: 40_000 }, () => aWord(1, false)),
    Array.from({ length: 40_000 }, (_, at) => at),
  );
  expect([store.start(1), store.end(1)]).toEqual([1, 40_001]);
  expect([store.termAt(0), store.termAt(40_000)]).toEqual([5, 39_999]);
});

it('keeps the highest term and the highest weight apart', () => {
  const store = new RowWordsStore();
  store.append([aWord(63, true), aWord(63, false)], [0xff_ffff, 0]);
  expect([store.termAt(0), store.weightAt(0), store.isCapabilityAt(0)]).toEqual([0xff_ffff, 63, true]);
  expect([store.termAt(1), store.weightAt(1), store.isCapabilityAt(1)]).toEqual([0, 63, false]);
});
