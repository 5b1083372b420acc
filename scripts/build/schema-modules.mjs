import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * What `chunks`, the bundle of `compiled-schemas.ts` with that as its first, prints: the sources of modules by key. It is run from a folder of its own in
 * `parent`, from where it must find what is in no bundle.
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

/** A plugin with which `sources` are modules, each named by its key. */
export function inMemory(sources) {
  return {
    name: 'in-memory',
    resolveId: (id) => (Object.hasOwn(sources, id) ? `${id}.cjs` : undefined),
    load: (id) => sources[id.replace(/\.cjs$/, '')],
  };
}
