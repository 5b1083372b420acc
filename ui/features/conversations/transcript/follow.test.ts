import { describe, expect, it } from 'vitest';
import { countSince, formatPill, isFollowing } from './follow.js';

const view = (top: number, whole = 1_000) => ({ top, height: 400, whole });

describe('isFollowing', () => {
  it('is true at the end and a little above it', () => {
    expect(isFollowing(false, 0, view(600))).toBe(true);
    expect(isFollowing(false, 0, view(560))).toBe(true);
  });

  it('becomes false when the view moves up', () => {
    expect(isFollowing(true, 600, view(400))).toBe(false);
  });

  it('stays true when the content grows below a view that does not move', () => {
    expect(isFollowing(true, 600, view(600, 3_000))).toBe(true);
  });

  it('stays false on the way down before the end', () => {
    expect(isFollowing(false, 100, view(300))).toBe(false);
  });
});

describe('jump button', () => {
  it('counts the lines after the last one seen', () => {
    expect(countSince(['a', 'b', 'c'], 'a')).toBe(2);
    expect(countSince(['a', 'b', 'c'], 'c')).toBe(0);
    expect(countSince(['a', 'b'], undefined)).toBe(0);
  });

  it('has a label for new lines, streaming and neither', () => {
    expect(formatPill(3, true)).toBe('3 new');
    expect(formatPill(0, true)).toBe('Streaming');
    expect(formatPill(0, false)).toBe('Jump to end');
  });
});
