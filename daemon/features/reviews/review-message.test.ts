import { describe, expect, it } from 'vitest';
import type { ReviewComment } from '../../contract/work/reviews.js';
import { composeReviewMessage } from './review-message.js';

const OPENING = 'Work through these review comments on your changes. Each names its file and lines and quotes them.';

const aComment = (given: Partial<ReviewComment> = {}): ReviewComment => ({
  ...{ comment: 'rev-1', conv: 'conv-1', path: 'lamp.ts', side: 'new', start_line: 3, end_line: 3, quote: '+lit' },
  ...{ text: 'Why?', state: 'draft', author: null, turn: null, created_at: '', updated_at: '', ...given },
});

describe('The message with review comments', () => {
  it('begins with what the operator wrote, if anything, and numbers the comments', () => {
    const comments = [aComment(), aComment({ path: 'b.ts', quote: '', text: 'And this?' })];
    const parts = [
      OPENING,
      '1. `lamp.ts`, line 3',
      '```diff\n+lit\n```',
      'Why?',
      '2. `b.ts`, line 3',
      'And this?',
    ].join('\n\n');
    expect(composeReviewMessage('Please.', comments)).toBe(`Please.\n\n${parts}`);
    expect(composeReviewMessage('', comments)).toBe(parts);
  });

  it.each<[Partial<ReviewComment>, string]>([
    [{}, 'line 3'],
    [{ end_line: null }, 'line 3'],
    [{ end_line: 5 }, 'lines 3–5'],
    [{ side: 'old' }, 'line 3 before the change'],
    [{ side: 'old', end_line: 5 }, 'lines 3–5 before the change'],
    [{ side: null, start_line: null, end_line: null }, 'the whole file'],
    [{ author: 'ui-reviewer' }, 'line 3, by ui-reviewer'],
  ])('names the place and the author of %j', (given, place) => {
    expect(composeReviewMessage('', [aComment(given)])).toContain(`\n\n1. \`lamp.ts\`, ${place}\n\n`);
  });

  it('has a fence around a quote that the quote does not end', () => {
    expect(composeReviewMessage('', [aComment({ quote: '+```' })])).toContain('````diff\n+```\n````\n\nWhy?');
  });

  /** The message with `count` comments of `chars` characters whose quotes have 8,000 each. */
  const quoted = (count: number, chars: number) =>
    composeReviewMessage(
      '',
      Array.from({ length: count }, () => aComment({ quote: 'z'.repeat(8_000), text: 't'.repeat(chars) })),
    );
  const longest = (text: string) => Math.max(0, ...[...text.matchAll(/z+…?/g)].map(([run]) => run.length));

  it.each([
    [16, 10, 8_000],
    [17, 10, 2_001],
    [70, 10, 501],
    [100, 1_200, 0],
  ])('shortens the quotes of %i comments of %i characters to %i, so that it fits', (count, chars, length) => {
    const text = quoted(count, chars);
    expect([longest(text), text.length <= 131_072]).toEqual([length, true]);
    expect(text.includes('```')).toBe(length > 0);
  });

  it('may be as long as a message, and not longer', () => {
    const ofLength = (chars: number) => composeReviewMessage('', [aComment({ quote: '', text: 't'.repeat(chars) })]);
    const rest = ofLength(1).length - 1;
    expect(ofLength(131_072 - rest)).toHaveLength(131_072);
    expect(() => ofLength(131_073 - rest)).toThrow(
      expect.objectContaining({
        code: 'too_large',
        message:
          'The 1 comments are longer than a message, which has at most 131072 characters: shorten them, or delete ' +
          'some and send those later.',
      }),
    );
  });
});
