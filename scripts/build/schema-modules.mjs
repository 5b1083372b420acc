import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Runs `chunks`, the bundle of `compiled-schemas.ts` with the entry as its first chunk, and returns the module sources
 * that it prints, by key. It runs in a temporary folder below `parent`, from which packages outside the bundle can be
 * resolved.
 */
export async function compileSchemas(chunks, parent) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'schemas-'));
  try {
    for (const { fileName, code } of chunks) {
      mkdirSync(dirname(join(folder, fileName)), { recursive: true });
      writeFileSync(join(folder, fileName), code);
    }
    const { stdout } = await run(process.execPath, [join(folder, chunks[0].fileName)], { maxBuffer: MAX_BYTES });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a plugin that provides `sources` as modules, each under its key. */
export function inMemory(sources) {
  return {
    name: 'in-memory',
    resolveId: (id) => (Object.hasOwn(sources, id) ? `${id}.cjs` : undefined),
    load: (id) => sources[id.replace(/\.cjs$/, '')],
  };
}
