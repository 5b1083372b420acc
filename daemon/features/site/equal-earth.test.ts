import { geoEqualEarth } from 'd3-geo';
import { describe, expect, it } from 'vitest';
import { drawWorld } from '../../../scripts/build/world-outline.mjs';
import { equalEarth } from './equal-earth.js';
import { WORLD } from './world-outline.js';

describe('Equal Earth projection', () => {
  it('places every point consistently with the outline', () => {
    const drawn = geoEqualEarth().fitWidth(WORLD.width, { type: 'Sphere' });
    for (let lat = -90; lat <= 90; lat += 15) {
      for (let lon = -179; lon <= 179; lon += 17.9) {
        const [x, y] = drawn([lon, lat]) as [number, number];
        const point = equalEarth({ lat, lon }, WORLD.width);
        expect(Math.hypot(point.x - x, point.y - y)).toBeLessThan(0.01);
      }
    }
  });

  it('keeps the whole world within the drawing', () => {
    for (const [lat, lon] of [
      [90, 0],
      [-90, 0],
      [0, 180],
      [0, -180],
    ] as const) {
      const { x, y } = equalEarth({ lat, lon }, WORLD.width);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(WORLD.width + 1e-9);
      expect(y).toBeGreaterThanOrEqual(-1e-9);
      expect(y).toBeLessThanOrEqual(WORLD.height);
    }
  });
});

describe('World outline', () => {
  it('equals the output of its script and is small', () => {
    const drawn = drawWorld();
    // Compared as booleans, since a diff of thousands of steps is unreadable.
    expect(WORLD.land === drawn.land && WORLD.sphere === drawn.sphere).toBe(true);
    expect([WORLD.width, WORLD.height]).toEqual([drawn.width, drawn.height]);
    expect(WORLD.land.length).toBeLessThan(24_000);
  });
});
