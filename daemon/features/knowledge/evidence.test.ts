import { describe, expect, it } from 'vitest';
import { emptyReading, rankedPassage, weighedTerm } from '../../testing/parts/ranked-passages.js';
import { weighEvidence } from './evidence.js';
import type { Reading } from './question.js';
import type { Ranked, WeighedTerm } from './ranking.js';

type Best = Partial<Omit<Ranked, 'passage' | 'text'>>;

/** Weighs words of these shares of the question; all are there, alone, unless it is said otherwise. */
function weigh(
  words: readonly (Partial<WeighedTerm> & { share: number; strength?: number })[],
  best: Best = {},
  others: readonly [path: string, score: number][] = [],
  shape: Reading['shape'] = 'what',
) {
  const rest = 100 - words.reduce((sum, { share }) => sum + share, 0);
  const all = [...words, ...(rest > 0 ? [{ share: rest }] : [])];
  const terms = all.map(({ share, strength: _, ...parts }, at) => weighedTerm(`w${at}`, { weight: share, ...parts }));
  const strengths = all.map(({ strength = 1 }: { strength?: number }) => strength);
  const first = rankedPassage('x', { path: 'a' }, { score: 1, closeness: 0, strengths, ...best });
  const passages = [first, ...others.map(([path, score]) => rankedPassage('x', { path }, { score }))];
  return weighEvidence({ terms, passages }, emptyReading(shape));
}
const decide = (...given: Parameters<typeof weigh>) => weigh(...given).confidence;

it('there is no evidence without a passage or a word', () => {
  expect(weighEvidence({ terms: [weighedTerm('lamp')], passages: [] }, emptyReading('what'))).toEqual({
    confidence: 'none',
  });
  expect(weighEvidence({ terms: [], passages: [rankedPassage('x')] }, emptyReading('what'))).toEqual({
    confidence: 'none',
  });
});

it('its grounds are shares of the question', () => {
  const words = [
    { share: 10, isForeign: true, isTechnology: true, strength: 0 },
    { share: 20, isForeign: true, strength: 0 },
    { share: 15, strength: 0.4 },
    { share: 30, isName: true, strength: 0.9 },
  ];
  const found = weigh(words, { coverage: 0.6, closeness: 0.8, score: 3 }, [
    ['a', 2.9],
    ['b', 2],
    ['c', 1],
  ]);
  expect(found.grounds).toEqual({
    foreign: expect.closeTo(0.21, 10),
    missing: 0.2,
    coverage: 0.6,
    names: 1,
    together: expect.closeTo(0.4, 10),
    margin: 1,
  });
});

describe('a question is not about this project', () => {
  it('when its technologies occur nowhere', () => {
    const foreign = (share: number) => decide([{ share, isForeign: true, isTechnology: true }]);
    expect([foreign(49), foreign(50)]).toEqual(['likely', 'none']);
  });

  it('when nearly all of it are rare words that occur nowhere', () => {
    const foreign = (share: number) => decide([{ share, isForeign: true }]);
    expect([foreign(90), foreign(91)]).toEqual(['likely', 'none']);
  });

  it('when its heaviest word is not in the best passage', () => {
    const missing = (share: number, parts: { strength?: number; isEveryday?: boolean } = {}) =>
      decide([{ share, strength: 0.49, ...parts }]);
    expect([missing(55), missing(56)]).toEqual(['likely', 'none']);
    expect(missing(56, { strength: 0.5 })).toBe('likely');
    expect(missing(56, { isEveryday: true })).toBe('likely');
    expect(
      decide([
        { share: 40, strength: 0 },
        { share: 40, strength: 0 },
      ]),
    ).toBe('likely');
  });

  it('unless names of it are in there, at most two of which count', () => {
    const named = (share: number, count: number, strength = 0.9) =>
      decide([
        { share, strength: 0 },
        ...Array.from({ length: count }, () => ({ share: 0.1, isName: true, strength })),
      ]);
    expect([named(70, 0), named(70, 1), named(70, 1, 0.89)]).toEqual(['none', 'likely', 'none']);
    expect([named(97, 2), named(98, 2), named(98, 3)]).toEqual(['likely', 'none', 'none']);
    expect(
      decide([
        { share: 70, strength: 0 },
        { share: 30, strength: 1 },
      ]),
    ).toBe('none');
  });

  it('when hardly any of it is in the best passage', () => {
    expect([decide([], { coverage: 0.15 }), decide([], { coverage: 0.149 })]).toEqual(['likely', 'none']);
  });

  it('when most of its words occur nowhere', () => {
    const known = (count: number) => decide(Array.from({ length: 20 }, (_, at) => ({ share: 5, isKnown: at < count })));
    expect([known(9), known(8)]).toEqual(['likely', 'none']);
  });
});

describe('an answer is sure', () => {
  it('when the passage defines what is looked for', () => {
    expect(decide([], { isDefinition: true }, [], 'where')).toBe('found');
    expect(decide([], { isDefinition: true })).toBe('likely');
    expect(decide([], {}, [], 'where')).toBe('likely');
    expect(decide([], { isDefinition: true, coverage: 0 }, [], 'where')).toBe('none');
  });

  it('when its file is far above the next', () => {
    const margin = (score: number) =>
      decide([], { score }, [
        ['a', 0.5],
        ['b', 0],
      ]);
    expect([margin(0.6), margin(0.61)]).toEqual(['likely', 'found']);
    expect(decide([], { score: 5 })).toBe('likely');
  });

  it('less so when words are missing or occur nowhere', () => {
    const margin = (word: Partial<WeighedTerm> & { share: number; strength?: number }) =>
      decide([word], {}, [['b', 0]]);
    expect([margin({ share: 53, strength: 0 }), margin({ share: 54, strength: 0 })]).toEqual(['found', 'likely']);
    const foreign = (share: number) => margin({ share, isForeign: true, isTechnology: true });
    expect([foreign(24), foreign(25)]).toEqual(['found', 'likely']);
  });

  it('more so when names of it are in there', () => {
    const name = { share: 20, isName: true };
    const margin = (score: number, ...words: (typeof name)[]) => decide(words, { score }, [['b', 0]]);
    expect([margin(0.29, name), margin(0.31, name)]).toEqual(['likely', 'found']);
    expect([margin(-0.01, name, name), margin(0.01, name, name)]).toEqual(['likely', 'found']);
  });

  it('when three words or more stand together', () => {
    const together = (closeness: number, words: number) =>
      decide(
        Array.from({ length: words }, () => ({ share: 100 / words })),
        { closeness },
      );
    expect([together(1, 3), together(0.99, 3), together(1, 2)]).toEqual(['found', 'likely', 'likely']);
    expect(weigh([{ share: 20 }, { share: 20 }], { closeness: 0.5 }).grounds?.together).toBe(0);
    expect(weigh([{ share: 20 }], { closeness: 1 }).grounds?.together).toBe(0);
  });
});
