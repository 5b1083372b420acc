import { describe, expect, it } from 'vitest';
import type { Why } from '../../../daemon/contract/network/oracle.js';
import { formatWhy, listScoreParts } from './why-format.js';

const why = (more: Partial<Why>): Why => ({
  text: 0,
  semantic: 0,
  capability: 0,
  reputation: null,
  response_rate: null,
  asked: 0,
  message_through: 0,
  promoted: 0,
  ...more,
});

describe('reasons for a rank', () => {
  it.each([
    [why({ text: 0.8, semantic: 0.3 }), 'Found by its text and its meaning. No reports yet.'],
    [
      why({ text: 0.3, semantic: 0.8, capability: 1, reputation: 0.9 }),
      'Found by its capabilities, its meaning and its text. Its reputation raises it.',
    ],
    [why({ semantic: 0.6, reputation: 0.1 }), 'Found by its meaning. Its reputation lowers it.'],
    [why({ text: 0.05, reputation: 0.5 }), 'Weak match. Its reputation does not change its rank.'],
    [why({ text: 0.9, response_rate: 0.75, asked: 4 }), 'Found by its text. No reports yet. It answered 3 of 4 here.'],
    [why({ text: 0.9, promoted: 0.05 }), 'Found by its text. No reports yet. Promoted partner.'],
  ])('for %j', (one, words) => expect(formatWhy(one, true)).toBe(words));

  it('name reputation when there is no search text', () => {
    expect(formatWhy(why({}), false)).toBe(
      'No search text: ranked by reputation and answers, then last seen. No reports yet.',
    );
  });

  it('list each part, with the promotion only when there is one, and an unknown reputation', () => {
    expect(listScoreParts(why({ text: 0.5 })).map(({ name }) => name)).toEqual([
      'Text',
      'Meaning',
      'Capability',
      'Reputation',
      'Answers',
    ]);
    expect(listScoreParts(why({ promoted: 0.02 })).at(-1)).toMatchObject({ name: 'Promotion', value: 0.02 });
    expect(listScoreParts(why({}))[3]).toEqual({
      name: 'Reputation',
      value: null,
      said: 'no reports yet: counts as 0.50',
    });
  });
});
