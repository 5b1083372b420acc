import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withPalette } from './png-palette.js';

const FOLDER = fileURLToPath(new URL('./pictures', import.meta.url));

/** Runs after the tests and compresses the screenshots that were updated. */
export default function packPictures(): void {
  if (!existsSync(FOLDER)) return;
  for (const name of readdirSync(FOLDER)) {
    const packed = withPalette(readFileSync(join(FOLDER, name)));
    if (packed) writeFileSync(join(FOLDER, name), packed);
  }
}
