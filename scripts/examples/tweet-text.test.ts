import { describe, expect, it } from 'vitest';
import { composeTweet, countCharacters, LANGUAGES, TIER_NAMES, TIERS, TONES, TWEET_MAX_CHARS } from './tweet-text.js';

const LONG = (
  'the harbour lights of the small town at the end of the world, where ships with paper sails wait for a wind ' +
  'that never comes, '
).repeat(5);

describe('a composed tweet', () => {
  it('never exceeds the length of its tier, in any tone and language and for any prompt length', () => {
    for (const tier of TIER_NAMES)
      for (const tone of TONES)
        for (const language of LANGUAGES)
          for (const prompt of ['lamps', LONG, '🚢'.repeat(400), 'x'.repeat(2000), ' ', '@you #me https://a.example']) {
            const tweet = composeTweet({ prompt, tier, tone, language });
            expect(countCharacters(tweet)).toBeLessThanOrEqual(TIERS[tier].chars);
            expect(countCharacters(tweet)).toBeGreaterThan(0);
          }
    expect(TIERS.max.chars).toBe(TWEET_MAX_CHARS);
  });

  it('contains the words of the prompt, is deterministic, and is longer in a higher tier', () => {
    const wish = { prompt: 'harbour lights at dusk', tone: 'friendly', language: 'en' } as const;
    const [mini, max] = [composeTweet({ ...wish, tier: 'mini' }), composeTweet({ ...wish, tier: 'max' })];
    expect(mini).toContain('harbour lights at dusk');
    expect(max.startsWith(mini)).toBe(true);
    expect(max).toMatch(/#harbour/);
    expect(composeTweet({ ...wish, tier: 'max' })).toBe(max);
  });

  it('contains no mention, link or hashtag of the prompt, and is a single line', () => {
    const tweet = composeTweet({
      prompt: 'hi @ceo see https://evil.example/x #spam\nnew\u202eline',
      tier: 'max',
      tone: 'dry',
      language: 'en',
    });
    expect(tweet).not.toMatch(/@|https?:|[\n\u202e]/);
  });
});
