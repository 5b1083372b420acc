import { expect, it } from 'vitest';
import { readQuestionModel, readRelatedWords, readSoftwareTerms, readWordFrequencies } from './word-data.js';

it.each<[string, () => string, RegExp]>([
  ['related words', readRelatedWords, /^\w+ \S+ ?\S*\n/],
  ['frequencies of words', readWordFrequencies, /^\w+ \d\.\d+\n/],
  ['terms of software', readSoftwareTerms, /^javascript$/m],
])('reads the %s of the build', (_what, read, line) => {
  expect(read()).toMatch(line);
});

it('reads the model of questions of the build', () => {
  const all = [readQuestionModel(), readRelatedWords(), readWordFrequencies(), readSoftwareTerms()];
  expect(all[0]).not.toBe('');
  expect(new Set(all).size).toBe(4);
});
