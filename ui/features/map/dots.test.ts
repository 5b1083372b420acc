import { describe, expect, it } from 'vitest';
import { formatDot, gathered, type Spot } from './dots.js';

const spot = (name: string, x: number, y: number, more: Partial<Spot> = {}): Spot => ({
  key: name,
  name,
  label: 'Porto, Portugal',
  kind: 'post',
  x,
  y,
  ...more,
});

describe('dots', () => {
  it('merge when they would overlap and stay separate otherwise', () => {
    const spots = [spot('c', 100, 100), spot('a', 104, 100), spot('b', 300, 100)];
    expect(gathered(spots, 10).map(({ spots: those }) => those.map(({ key }) => key))).toEqual([['a', 'c'], ['b']]);
    expect(gathered(spots, 1)).toHaveLength(3);
  });

  it('are sorted by name', () => {
    const spots = ['Zebra', 'ábel', 'Boat 10', 'Boat 9'].map((name, at) => spot(name, at * 100, 0));
    expect(gathered(spots, 5).map(({ key }) => key)).toEqual(['ábel', 'Boat 9', 'Boat 10', 'Zebra']);
  });

  const scattered = Array.from({ length: 400 }, (_, at) => spot(`s${at}`, (at * 37) % 960, (at * 91) % 467));

  it('keep the minimum distance', () => {
    for (const apart of [3, 30, 46, 300]) {
      const dots = gathered(scattered, apart);
      const nearest = dots.flatMap((one, at) =>
        dots.slice(at + 1).map((other) => Math.hypot(one.x - other.x, one.y - other.y)),
      );
      expect(Math.min(...nearest, Number.POSITIVE_INFINITY), `${dots.length} dots`).toBeGreaterThanOrEqual(apart);
    }
  });

  it('contain every spot exactly once at any distance', () => {
    const spots = scattered;
    for (const apart of [0.5, 3, 30, 300, 3000]) {
      const keys = gathered(spots, apart).flatMap((dot) => dot.spots.map(({ key }) => key));
      expect(keys.sort()).toEqual(spots.map(({ key }) => key).sort());
    }
  });

  it('describe the number and kind of their spots and the place', () => {
    const two = [spot('a', 0, 0), spot('b', 0, 0), spot('c', 0, 0, { label: 'Gaia, Portugal' })];
    expect(formatDot(two)).toBe('3 posts near Porto, Portugal');
    expect(formatDot([spot('a', 0, 0, { kind: 'cluster' })])).toBe('1 cluster near Porto, Portugal');
    expect(formatDot([spot('a', 0, 0, { kind: 'cluster' }), spot('b', 0, 0, { label: 'near the pier' })])).toMatch(
      /^2 places /,
    );
    expect(formatDot([spot('b', 0, 0, { label: 'near the pier' })])).toBe('1 post near the pier');
  });
});
