import { describe, expect, it } from 'vitest';
import { countCodePoints } from './code-points.js';

describe('countCodePoints', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['ä', 1],
    ['a\u0308', 2],
    ['😀', 1],
    ['👩‍👧', 3],
    ['\ud800', 1],
    ['\udc00x', 2],
    ['日本語', 3],
    ['\uffff\u{10000}\u{10ffff}', 3],
    ['\ud83dx', 2],
    ['\uffffab', 3],
  ])('%j has %i code points', (text, count) => {
    expect(countCodePoints(text)).toBe(count);
    expect([...text]).toHaveLength(count);
  });
});
