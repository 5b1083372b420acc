import { geoEqualEarth, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { Point } from '../places/gazetteer.js';
import { SHEET } from './map-view.js';

export type World = Topology<{ countries: GeometryCollection<{ name?: string }> }>;

const sphere = { type: 'Sphere' } as const;
const projection = geoEqualEarth().fitSize([SHEET.width, SHEET.height], sphere);

/** Projects a point of the globe to the sheet. */
export function onSheet({ lat, lon }: Point): { x: number; y: number } {
  const [x = 0, y = 0] = projection([lon, lat]) ?? [];
  return { x, y };
}

/** Returns the point of the globe at a point of the sheet; undefined outside the world. */
export function onGlobe({ x, y }: { x: number; y: number }): Point | undefined {
  const [lon, lat] = projection.invert?.([x, y]) ?? [];
  if (lat === undefined || lon === undefined || !(Math.abs(lat) <= 90)) return undefined;
  // Outside the rim the inverse returns a longitude that wraps around, which projects to a different point.
  const back = onSheet({ lat, lon });
  return Math.hypot(back.x - x, back.y - y) < 1 ? { lat, lon } : undefined;
}

/** Returns the outline of the world as an SVG path. */
export const rimPath = (): string => geoPath(projection).digits(1)(sphere) ?? '';

/** Returns all countries as one SVG path with `digits` decimals. */
export const outlinePath = (world: World, digits: number): string =>
  geoPath(projection).digits(digits)(feature(world, world.objects.countries)) ?? '';

/** Names that are shown shorter than in the data. */
const SHORT: Readonly<Record<string, string>> = { 'United States of America': 'United States' };

/** A country's name, its position on the sheet, and the width of the country there. */
export interface CountryName {
  name: string;
  x: number;
  y: number;
  width: number;
}

/** Returns the names of all countries, each at the centre of the country's largest land area. */
export function countryNames(world: World): CountryName[] {
  const path = geoPath(projection);
  return feature(world, world.objects.countries).features.flatMap(({ geometry, properties }) => {
    const pieces =
      geometry.type === 'MultiPolygon'
        ? geometry.coordinates
        : geometry.type === 'Polygon'
          ? [geometry.coordinates]
          : [];
    const [largest] = pieces
      .map((coordinates) => ({ type: 'Polygon' as const, coordinates }))
      .map((piece) => ({ piece, area: path.area(piece) }))
      .sort((a, b) => b.area - a.area);
    if (!largest || !properties?.name) return [];
    const [x, y] = path.centroid(largest.piece);
    const [[west], [east]] = path.bounds(largest.piece);
    return [{ name: SHORT[properties.name] ?? properties.name, x, y, width: east - west }];
  });
}
