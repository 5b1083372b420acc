import { describe, expect, it } from 'vitest';
import { splitLongText, stretched } from './split-long-text.js';

describe('long text', () => {
  it.each([
    ['one letter', 'W'.repeat(10_000)],
    ['words', 'To the AV yard. '.repeat(700)],
    ['a joined script', 'ب'.repeat(10_000)],
    ['characters of two halves', '𝔚'.repeat(5_000)],
    ['letters with marks', 'Z\u0350\u0351\u0352'.repeat(2_500)],
    ['joined pictures', '👩‍👩‍👧‍👦'.repeat(900)],
  ])('is split into pieces of bounded length: %s', (_, text) => {
    const stretches = splitLongText(text);
    expect(stretches.join('')).toBe(text);
    // The cost of line breaking is the sum of the squares of the piece lengths.
    for (const stretch of stretches) expect(stretch.length).toBeLessThanOrEqual(233);
    for (const stretch of stretches)
      expect(stretch).not.toMatch(/^[\p{M}\u200d]|^[\udc00-\udfff]|[\ud800-\udbff]$|\u200d$/u);
  });

  it('is cut inside an endless joined sequence, but never inside a code point', () => {
    const chain = '👩\u200d'.repeat(3_000);
    const stretches = splitLongText(chain);
    expect(stretches.join('')).toBe(chain);
    for (const stretch of stretches) expect(stretch.length).toBeLessThanOrEqual(233);
    for (const stretch of stretches) expect(stretch).not.toMatch(/^[\udc00-\udfff]/u);
  });

  it('stays one piece while it is short', () => {
    expect(splitLongText('W'.repeat(400))).toEqual(['W'.repeat(400)]);
    expect(splitLongText('')).toEqual(['']);
  });

  it('is split in Markdown wherever it occurs, and only within its own element', () => {
    const text = (value: string) => ({ type: 'text', value });
    const tree = {
      type: 'root',
      children: [
        {
          type: 'element',
          tagName: 'p',
          children: [text('short'), { type: 'element', tagName: 'em', children: [text('W'.repeat(1_000))] }],
        },
      ],
    };
    stretched()(tree);
    const [p] = tree.children;
    const [short, em] = p?.children ?? [];
    expect(short).toEqual(text('short'));
    expect(em).toMatchObject({
      tagName: 'em',
      children: Array.from({ length: 5 }, () => ({ tagName: 'span', children: [text('W'.repeat(200))] })),
    });
  });
});
