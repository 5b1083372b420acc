import { describe, expect, it } from 'vitest';
import { TTLS } from '../../contract/boards.js';
import { computeExpiry, isLive } from './ttl.js';

const DAY = 86_400;

describe('ttl', () => {
  it.each([
    ['24h', DAY],
    ['7d', 7 * DAY],
    ['30d', 30 * DAY],
    ['1y', 365 * DAY],
  ] as const)('a post of %s is live until the second in which it expires', (ttl, seconds) => {
    const expires_at = computeExpiry(1000, ttl);
    expect(expires_at).toBe(1000 + seconds);
    expect(isLive({ expires_at }, (1000 + seconds) * 1000 - 1)).toBe(true);
    expect(isLive({ expires_at }, (1000 + seconds) * 1000)).toBe(false);
  });

  it('a post of forever never expires', () => {
    expect(computeExpiry(1000, 'forever')).toBeNull();
    expect(isLive({ expires_at: null }, Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  it('has no other values', () => {
    expect(TTLS).toEqual(['24h', '7d', '30d', '1y', 'forever']);
  });
});
