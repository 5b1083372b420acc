import { expect, it } from 'vitest';
import { mentionAt, withMention } from './mention.js';

it('finds the word with an @ at the caret', () => {
  expect(mentionAt('see @src/du', 11)).toEqual({ from: 4, words: 'src/du' });
  expect(mentionAt('see @src/du', 8)).toEqual({ from: 4, words: 'src' });
  expect(mentionAt('@', 1)).toEqual({ from: 0, words: '' });
  expect(mentionAt('line\n@a', 7)).toEqual({ from: 5, words: 'a' });
});

it('finds no mention in an address, after a space or before the @', () => {
  expect(mentionAt('ada@example', 11)).toBeUndefined();
  expect(mentionAt('@src and', 8)).toBeUndefined();
  expect(mentionAt('@src', 0)).toBeUndefined();
});

it('replaces the mention by the path with one space after it and keeps the rest', () => {
  expect(withMention('see @du now', { from: 4, words: 'du' }, 'src/dusk.ts')).toEqual({
    text: 'see @src/dusk.ts now',
    caret: 17,
  });
  expect(withMention('@d', { from: 0, words: 'd' }, 'a.ts')).toEqual({ text: '@a.ts ', caret: 6 });
});
