import { describe, expect, it } from 'vitest';
import { DEFAULT_MEMBERS } from '../../../daemon/testing/default-members.js';
import { createFlag, FLAG_COLOURS, FLAG_PATTERNS } from './flag-code.js';

function luminance(hex: string): number {
  const channel = (from: number) => {
    const value = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

describe('createFlag', () => {
  it('returns the same flag for the same id', () => {
    expect(createFlag('consultant')).toEqual(createFlag('consultant'));
  });

  it('gives every default member a different pattern', () => {
    expect(new Set(DEFAULT_MEMBERS.map((id) => createFlag(id).pattern)).size).toBe(DEFAULT_MEMBERS.length);
  });

  it('uses every pattern and every colour pair', () => {
    const flown = Array.from({ length: 3_000 }, (_, i) => createFlag(`member-${i}`));
    expect(new Set(flown.map((flag) => flag.pattern)).size).toBe(FLAG_PATTERNS.length);
    expect(new Set(flown.map((flag) => flag.field + flag.charge)).size).toBe(FLAG_COLOURS.length);
  });

  it('uses colour pairs with a contrast of at least 3:1', () => {
    for (const [a, b] of FLAG_COLOURS) {
      const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
      expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(3);
    }
  });
});
