import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, boxesAround, distanceKm, type Point } from './geo.js';

const point: fc.Arbitrary<Point> = fc.oneof(
  fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lon: fc.double({ min: -180, max: 180, noNaN: true }),
  }),
  fc.record({
    lat: fc.constantFrom(-90, -89.999, 0, 89.999, 90),
    lon: fc.constantFrom(-180, -179.999, 0, 179.999, 180),
  }),
);
const radius = fc.oneof(
  fc.double({ min: 0.001, max: 500, noNaN: true }),
  fc.double({ min: 500, max: 20_000, noNaN: true }),
);
const holds = (box: Box, { lat, lon }: Point) =>
  box.south <= lat && lat <= box.north && box.west <= lon && lon <= box.east;

describe('distanceKm', () => {
  it.each([
    ['Berlin to Paris', { lat: 52.52, lon: 13.405 }, { lat: 48.8566, lon: 2.3522 }, 877.5],
    ['across the antimeridian', { lat: 0, lon: 179.5 }, { lat: 0, lon: -179.5 }, 111.2],
    ['over the pole', { lat: 89.5, lon: 0 }, { lat: 89.5, lon: 180 }, 111.2],
    ['between two names of one pole', { lat: 90, lon: 12 }, { lat: 90, lon: -120 }, 0],
    ['between two names of the antimeridian', { lat: 10, lon: 180 }, { lat: 10, lon: -180 }, 0],
    ['to the antipode', { lat: 0, lon: 0 }, { lat: 0, lon: 180 }, 20_015.1],
  ])('measures the distance: %s', (_name, a, b, km) => {
    expect(distanceKm(a, b)).toBeCloseTo(km, 0);
    expect(distanceKm(b, a)).toBe(distanceKm(a, b));
  });

  it('is never negative, NaN or more than half the circumference', () => {
    fc.assert(
      fc.property(point, point, (a, b) => {
        const km = distanceKm(a, b);
        expect(km).toBeGreaterThanOrEqual(0);
        expect(km).toBeLessThanOrEqual(20_016);
      }),
    );
  });
});

describe('boxesAround', () => {
  it('contains every point of the circle, including at the antimeridian and the poles', () => {
    fc.assert(
      fc.property(point, radius, point, (centre, km, other) => {
        if (distanceKm(centre, other) > km) return;
        expect(boxesAround(centre, km).filter((box) => holds(box, other))).not.toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('contains the edge of the circle in every direction', () => {
    fc.assert(
      fc.property(
        point,
        fc.double({ min: 0.01, max: 9_000, noNaN: true }),
        fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
        (centre, km, bearing) => {
          const angle = (km / 6371.0088) * (1 - 1e-9);
          const lat1 = (centre.lat * Math.PI) / 180;
          const sinLat = Math.sin(lat1) * Math.cos(angle) + Math.cos(lat1) * Math.sin(angle) * Math.cos(bearing);
          const lat = Math.asin(Math.max(-1, Math.min(1, sinLat)));
          const turn = Math.atan2(
            Math.sin(bearing) * Math.sin(angle) * Math.cos(lat1),
            Math.cos(angle) - Math.sin(lat1) * sinLat,
          );
          const lon = (((((centre.lon * Math.PI) / 180 + turn) * 180) / Math.PI + 540) % 360) - 180;
          const rim = { lat: (lat * 180) / Math.PI, lon };
          // Near a pole the arc sine above is off by up to a metre, so that the point can lie outside the circle.
          fc.pre(distanceKm(centre, rim) <= km);
          expect(boxesAround(centre, km).filter((box) => holds(box, rim))).not.toEqual([]);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('returns one box, or two that meet at the antimeridian when the circle crosses it', () => {
    expect(boxesAround({ lat: 0, lon: 0 }, 100)).toHaveLength(1);
    expect(boxesAround({ lat: 90, lon: 0 }, 100)).toEqual([
      { south: expect.closeTo(89.1, 1), north: 90, west: -180, east: 180 },
    ]);
    expect(boxesAround({ lat: 10, lon: -179.9 }, 100)).toEqual([
      { south: expect.closeTo(9.1, 1), north: expect.closeTo(10.9, 1), west: -180, east: expect.closeTo(-179, 1) },
      { south: expect.closeTo(9.1, 1), north: expect.closeTo(10.9, 1), west: expect.closeTo(179.2, 1), east: 180 },
    ]);
  });

  it.each<[string, Point, number]>([
    ['on the equator', { lat: 0, lon: 0 }, 500],
    ['in the north', { lat: 60, lon: 20 }, 300],
    ['in the south', { lat: -45.5, lon: -70 }, 1_000],
    ['near the pole', { lat: 80, lon: 0 }, 1_000],
  ])('returns no larger box than the circle needs: %s', (_where, centre, km) => {
    const [box, ...others] = boxesAround(centre, km);
    if (box === undefined) expect.fail('there is no box');
    expect(others).toEqual([]);
    const angle = km / 6371.0088;
    // The latitude at which a meridian touches the circle.
    const touch = (Math.asin(Math.sin((centre.lat * Math.PI) / 180) / Math.cos(angle)) * 180) / Math.PI;
    for (const point of [
      { lat: box.north, lon: centre.lon },
      { lat: box.south, lon: centre.lon },
      { lat: touch, lon: box.west },
      { lat: touch, lon: box.east },
    ])
      expect(distanceKm(centre, point)).toBeCloseTo(km, 3);
    expect(distanceKm(centre, { lat: box.north, lon: centre.lon })).toBeGreaterThan(km);
    expect(distanceKm(centre, { lat: touch, lon: box.east })).toBeGreaterThan(km);
  });

  it('covers every longitude around either pole', () => {
    expect(boxesAround({ lat: -89.9, lon: 10 }, 100)).toEqual([
      { south: -90, north: expect.closeTo(-89.9 + 0.8993, 3), west: -180, east: 180 },
    ]);
    expect(boxesAround({ lat: 0, lon: 0 }, 19_000)).toEqual([{ south: -90, north: 90, west: -180, east: 180 }]);
  });

  it('splits at the antimeridian from either side', () => {
    expect(boxesAround({ lat: 0, lon: 179.9 }, 100)).toEqual([
      {
        south: expect.closeTo(-0.8993, 3),
        north: expect.closeTo(0.8993, 3),
        west: expect.closeTo(179.0007, 3),
        east: 180,
      },
      {
        south: expect.closeTo(-0.8993, 3),
        north: expect.closeTo(0.8993, 3),
        west: -180,
        east: expect.closeTo(-179.2007, 3),
      },
    ]);
  });
});
