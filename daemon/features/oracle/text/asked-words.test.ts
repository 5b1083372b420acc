import { expect, it } from 'vitest';
import { AskedWords } from './asked-words.js';

it('tells the weight of each word and their sum, also of terms beyond its first room', () => {
  const asked = new AskedWords();
  asked.put(7, 0.5);
  asked.put(1024, 2);
  asked.put(90_000, 1);
  expect([7, 1024, 90_000, 8, 1_000_000].map((term) => asked.of(term))).toEqual([0.5, 2, 1, 0, 0]);
  expect(asked.sum).toBe(3.5);
});

it('forgets the words of one query before the next', () => {
  const asked = new AskedWords();
  asked.put(7, 0.5);
  asked.put(9, 0.5);
  asked.clear();
  expect([asked.of(7), asked.of(9), asked.sum]).toEqual([0, 0, 0]);
  asked.put(9, 2);
  expect([asked.of(7), asked.of(9), asked.sum]).toEqual([0, 2, 2]);
});
