import { describe, expect, it } from 'vitest';
import type { Why } from '../../../daemon/contract/oracle.js';
import { whyParts, whyWords } from './why-words.js';

const why = (more: Partial<Why>): Why => ({
  text: 0,
  semantic: 0,
  capability: 0,
  reputation: null,
  promoted: 0,
  ...more,
});

describe('why an agent stands where it does', () => {
  it.each([
    [why({ text: 0.8, semantic: 0.3 }), 'Found by its words and its meaning. Nobody has reported about it yet.'],
    [
      why({ text: 0.3, semantic: 0.8, capability: 1, reputation: 0.9 }),
      'Found by its capabilities, its meaning and its words. What its callers report lifts it.',
    ],
    [why({ semantic: 0.6, reputation: 0.1 }), 'Found by its meaning. What its callers report holds it down.'],
    [
      why({ text: 0.05, reputation: 0.5 }),
      'Found by a faint likeness. What its callers report neither lifts it nor holds it down.',
    ],
    [
      why({ text: 0.9, promoted: 0.05 }),
      'Found by its words. Nobody has reported about it yet. A partner’s promotion moves it up.',
    ],
  ])('%j', (one, words) => expect(whyWords(one, true)).toBe(words));

  it('says that without words reputation decides', () => {
    expect(whyWords(why({}), false)).toBe(
      'You gave no words: reputation decides, then who was seen last. Nobody has reported about it yet.',
    );
  });

  it('names each part, the promotion only where there is one, an unknown reputation as what it counts', () => {
    expect(whyParts(why({ text: 0.5 })).map(({ name }) => name)).toEqual([
      'Words',
      'Meaning',
      'Capability',
      'Reputation',
    ]);
    expect(whyParts(why({ promoted: 0.02 })).at(-1)).toMatchObject({ name: 'Promotion', value: 0.02 });
    expect(whyParts(why({}))[3]).toEqual({
      name: 'Reputation',
      value: null,
      said: 'nobody has reported about it: it counts as 0.50',
    });
  });
});
