import { describe, expect, it } from 'vitest';
import { liveParts } from './live-parts.js';

describe('liveParts', () => {
  it('ends a part at a blank line', () => {
    expect(liveParts('One.\n\nTwo\nlines.\n\nThr')).toEqual(['One.', 'Two\nlines.', 'Thr']);
  });

  it('does not split code blocks', () => {
    expect(liveParts('Look:\n\n```ts\na\n\nb\n```\n\nDone')).toEqual(['Look:', '```ts\na\n\nb\n```', 'Done']);
    expect(liveParts('````md\n```\n\n```\n````')).toEqual(['````md\n```\n\n```\n````']);
  });

  it('keeps a list with blank lines together', () => {
    expect(liveParts('1. One.\n\n   More of it.\n\n2. Two.\n\nAfter')).toEqual([
      '1. One.\n\n   More of it.\n\n2. Two.',
      'After',
    ]);
  });

  it('holds back an incomplete fence', () => {
    expect(liveParts('Look:\n\n``')).toEqual(['Look:']);
    expect(liveParts('```ts\na\n``')).toEqual(['```ts\na']);
  });

  it('keeps finished parts unchanged while more text arrives', () => {
    const whole = 'A\n\n- b\n\n- c\n\n```\nd\n\ne\n```\n\nF\n\nG';
    for (let end = 1; end < whole.length; end += 1) {
      const parts = liveParts(whole.slice(0, end));
      const final = liveParts(whole);
      // The last two parts may still be joined: a list may continue.
      expect(final.slice(0, Math.max(0, parts.length - 2))).toEqual(parts.slice(0, Math.max(0, parts.length - 2)));
    }
  });
});
