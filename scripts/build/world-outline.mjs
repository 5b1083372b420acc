/**
 * Makes `daemon/features/site/world-outline.ts`: the outline of the world's land in the Equal Earth projection, as the public map draws it. To be run by hand
 * when the source or the projection changes: `node scripts/build/world-outline.mjs`. The outline is Natural Earth's (public domain, by the package
 * `world-atlas`), drawn for a scale of 1:110 million.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { geoEqualEarth, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';

/** Steps of the drawing from west to east; half a step is the most that a point is off. */
const WIDTH = 2000;
const FILE = fileURLToPath(new URL('../../daemon/features/site/world-outline.ts', import.meta.url));

/** An SVG path of absolute points as one of whole relative steps, without those that go nowhere, nor islands that are less than a triangle. */
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

/** The world as the module has it. */
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

/** The text of the module. */
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
