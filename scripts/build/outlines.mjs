/**
 * The dashboard's world map: countries from Natural Earth (public domain, package `world-atlas`), on a coarser grid.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { quantize } from 'topojson-client';

const require = createRequire(import.meta.url);
/** Grid steps along each side. A step is 4 km at the equator, finer than the map of a city's surroundings shows. */
const GRID = 10_000;

/** Converts the quantized arcs to degrees. */
function withoutGrid({ transform, arcs, ...topology }) {
  const [scaleX, scaleY] = transform.scale;
  const [fromX, fromY] = transform.translate;
  const inDegrees = arcs.map((arc) => {
    let x = 0;
    let y = 0;
    return arc.map(([stepX, stepY]) => {
      x += stepX;
      y += stepY;
      return [x * scaleX + fromX, y * scaleY + fromY];
    });
  });
  return { ...topology, arcs: inDegrees };
}

/**
 * Returns the countries as one TopoJSON topology, at a scale of 1:110 or 1:50 million. `withNames` keeps their names.
 */
export function outlines(scale, withNames) {
  const topology = JSON.parse(readFileSync(require.resolve(`world-atlas/countries-${scale}m.json`), 'utf8'));
  const { countries } = topology.objects;
  const geometries = countries.geometries.map(({ type, arcs, properties }) => ({
    type,
    arcs,
    ...(withNames && { properties: { name: properties.name } }),
  }));
  return quantize({ ...withoutGrid(topology), objects: { countries: { ...countries, geometries } } }, GRID);
}
