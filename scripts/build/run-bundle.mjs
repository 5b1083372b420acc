import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Runs `chunks`, a bundle with the entry as its first chunk, with `args`, and returns the JSON that it prints. It runs in a temporary folder below `parent`, from which packages outside the bundle can be
 * resolved.
 */
export async function runBundle(chunks, parent, args = []) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'run-'));
  try {
    for (const { fileName, code } of chunks) {
      mkdirSync(dirname(join(folder, fileName)), { recursive: true });
      writeFileSync(join(folder, fileName), code);
    }
    const { stdout } = await run(process.execPath, [join(folder, chunks[0].fileName), ...args], {
      maxBuffer: MAX_BYTES,
    });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
