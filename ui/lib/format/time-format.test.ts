import { describe, expect, it } from 'vitest';
import { formatDuration, formatElapsed, formatRelativeTime } from './time-format.js';

const now = new Date(2026, 10, 21, 14, 0, 0).getTime();
const at = (...parts: [number, number, number, number?, number?]) =>
  new Date(...(parts as [number, number, number])).getTime();

describe('time formatting', () => {
  it.each([
    [now, 'just now'],
    [now + 3_000, 'just now'],
    [now - 40_000, '40 s ago'],
    [now - 60_000, '1 min ago'],
    [now - 59 * 60_000, '59 min ago'],
    [now - 5 * 3_600_000, '5 h ago'],
    [new Date(2026, 10, 21, 0, 30).getTime(), '13 h ago'],
    [new Date(2026, 10, 20, 9, 0).getTime(), 'yesterday'],
    [at(2026, 10, 12), '12 Nov'],
    [at(2025, 10, 12), '12 Nov 2025'],
  ])('formats a past time relative to the present (%#)', (then, words) => {
    expect(formatRelativeTime(then, now)).toBe(words);
  });

  it.each([
    [0, '0 ms'],
    [480.4, '480 ms'],
    [4_249, '4.2 s'],
    [9_960, '10 s'],
    [42_400, '42 s'],
    [190_000, '3 min 10 s'],
    [180_000, '3 min'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 ms'],
  ])('formats a duration with its unit: %d ms', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });

  it('formats a running duration in whole seconds', () => {
    expect(formatElapsed(900)).toBe('0 s');
    expect(formatElapsed(9_960)).toBe('9 s');
    expect(formatElapsed(61_900)).toBe('1 min 1 s');
  });
});
