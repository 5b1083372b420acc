/**
 * Generates `daemon/features/site/world-outline.ts`: the outline of the world's land in the Equal Earth projection, for
 * the public map. Run by hand when the source or the projection changes. The outline is from Natural Earth (public
 * domain, package `world-atlas`), at a scale of 1:110 million.
 *
 * `node scripts/build/world-outline.mjs`
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { geoEqualEarth, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';

/** Width of the drawing in steps. A point is off by at most half a step. */
const WIDTH = 2000;
const FILE = fileURLToPath(new URL('../../daemon/features/site/world-outline.ts', import.meta.url));

/**
 * Converts an SVG path of absolute points to relative integer steps. Omits steps of zero length and rings with fewer
 * than three steps.
 */
function inSteps(path) {
  const rings = path.split('M').slice(1);
  return rings
    .map((ring) => {
      const points = [...ring.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [
        Math.round(Number(x)),
        Math.round(Number(y)),
      ]);
      const [start] = points;
      let [x, y] = start;
      const steps = [];
      for (const [nextX, nextY] of points.slice(1)) {
        if (nextX === x && nextY === y) continue;
        steps.push(`${nextX - x}${nextY - y < 0 ? '' : ' '}${nextY - y}`);
        [x, y] = [nextX, nextY];
      }
      const line = steps.reduce((all, step) => `${all}${all === '' || step.startsWith('-') ? '' : ' '}${step}`, '');
      return steps.length < 3 ? '' : `M${start[0]} ${start[1]}l${line}z`;
    })
    .join('');
}

/** Returns the size and the paths of the drawing. */
export function drawWorld() {
  const topology = JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve('world-atlas/land-110m.json'), 'utf8'),
  );
  const sphere = { type: 'Sphere' };
  const projection = geoEqualEarth().precision(0.5).fitWidth(WIDTH, sphere);
  const draw = geoPath(projection);
  const height = Math.ceil(draw.bounds(sphere)[1][1]);
  return {
    width: WIDTH,
    height,
    sphere: inSteps(draw(sphere)),
    land: inSteps(draw(feature(topology, topology.objects.land))),
  };
}

/** Returns the text of the module. */
function moduleOf({ width, height, sphere, land }) {
  return `/** Made by \`scripts/build/world-outline.mjs\`: the world in Equal Earth, as paths of whole steps. Outline by Natural Earth, public domain. */
export const WORLD = {
  width: ${width},
  height: ${height},
  sphere:
    '${sphere}',
  land: '${land}',
} as const;
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(FILE, moduleOf(drawWorld()));
