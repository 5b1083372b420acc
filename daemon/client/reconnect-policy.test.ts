import { describe, expect, it } from 'vitest';
import { isLineDead, reconnectDelayMs, SILENCE_LIMIT_MS } from './reconnect-policy.js';

describe('reconnect policy', () => {
  it('doubles the delay from 400 ms to at most fifteen seconds', () => {
    const longest = [0, 1, 2, 3, 4, 5, 6, 60].map((attempt) => reconnectDelayMs(attempt, () => 1));
    expect(longest).toEqual([400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000]);
  });

  it('spreads the delay over its upper half', () => {
    expect(reconnectDelayMs(3, () => 0)).toBe(1_600);
    expect(reconnectDelayMs(3, () => 0.5)).toBe(2_400);
  });

  it('treats a connection as dead after 25 silent seconds and not before', () => {
    expect(isLineDead(1_000, 1_000 + SILENCE_LIMIT_MS - 1)).toBe(false);
    expect(isLineDead(1_000, 1_000 + SILENCE_LIMIT_MS)).toBe(true);
    // The clock was set back.
    expect(isLineDead(1_000 + SILENCE_LIMIT_MS, 1_000)).toBe(true);
  });
});
