import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PATTERNS } from './question-patterns.js';

/** The pattern with groups without names and with names of one letter, as `stringMatching` reads them. */
const generable = (pattern: RegExp) =>
  new RegExp(pattern.source.replaceAll(/\(\?<\w+>/g, '(?:').replaceAll('[^\\s`"\'?,;]', '[q]'));

describe('PATTERNS', () => {
  it('runs no pattern on a text without a word of its form', () => {
    expect(PATTERNS.filter(({ needs }) => needs.test('zzz')).map(({ form }) => form)).toEqual([]);
  });

  it('runs every pattern on whatever it matches', () => {
    const missed = PATTERNS.flatMap(({ form, needs, pattern }) =>
      fc
        .sample(fc.stringMatching(generable(pattern)), { numRuns: 200, seed: 7 })
        .filter((text) => !needs.test(text))
        .map((text) => `${form}: ${text}`),
    );
    expect(missed).toEqual([]);
  });
});
