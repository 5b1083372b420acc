import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitEverything } from '../commit-everything.js';

const FILE_BYTES_MAX = 150_000;
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Yields source and prose files of the packages, ordered by name. */
function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* sources(path);
    else if (
      entry.isFile() &&
      /(?<!\.min)\.(ts|js|mjs|cjs|md)$/.test(entry.name) &&
      statSync(path).size <= FILE_BYTES_MAX
    )
      yield path;
  }
}

/**
 * Makes `root` a repository of about `wanted` bytes of source and prose: the content of the packages in this project's
 * lock file, the same on every machine. Returns its exact size.
 */
export function copySources(root: string, wanted: number): number {
  let bytes = 0;
  for (const path of sources(PACKAGES)) {
    // The index would exclude a folder of that name as third-party code.
    const target = join(
      root,
      path
        .slice(PACKAGES.length + 1)
        .replaceAll('node_modules', 'packages')
        .replaceAll('dist', 'built'),
    );
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(path);
    writeFileSync(target, text);
    bytes += text.length;
    if (bytes >= wanted) break;
  }
  commitEverything(root, 'Everything');
  return bytes;
}
