import { describe, expect, it } from 'vitest';
import { outlines } from '../../../scripts/build/outlines.mjs';
import { SHEET } from './map-view.js';
import { countryNames, onGlobe, onSheet, outlinePath, rimPath } from './projection.js';

describe('sheet', () => {
  it.each([
    { lat: 0, lon: 0 },
    { lat: 38.72, lon: -9.14 },
    { lat: -54.8, lon: -68.3 },
    { lat: 78.2, lon: 15.6 },
    { lat: -16.8, lon: 179.9 },
    { lat: 89.9, lon: -170 },
  ])('contains every point of the globe: %j', (point) => {
    const { x, y } = onSheet(point);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(SHEET.width);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(SHEET.height);
    const back = onGlobe({ x, y });
    expect(back?.lat).toBeCloseTo(point.lat, 2);
    expect(back?.lon).toBeCloseTo(point.lon, 1);
  });

  it('has no point of the globe in its corners', () => {
    for (const [x, y] of [
      [1, 1],
      [SHEET.width - 1, 1],
      [1, SHEET.height - 1],
      [SHEET.width - 1, SHEET.height - 1],
    ] as const)
      expect(onGlobe({ x, y })).toBeUndefined();
  });

  it('has paths for the countries and the rim of the world', () => {
    expect(outlinePath(outlines(110, true), 1)).toMatch(/^M[\d.]+,[\d.]+L/);
    expect(rimPath()).toMatch(/Z$/);
  });

  it('has a country’s name at the centre of its largest land area', () => {
    const names = countryNames(outlines(110, true));
    const portugal = names.find(({ name }) => name === 'Portugal');
    const there = onSheet({ lat: 39.6, lon: -8 });
    expect(Math.hypot((portugal?.x ?? 0) - there.x, (portugal?.y ?? 0) - there.y)).toBeLessThan(5);
    expect(names.find(({ name }) => name === 'Russia')?.width).toBeGreaterThan(100);
    expect(names.length).toBeGreaterThan(150);
  });
});
