import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DaemonFile } from '../../contract/daemon-file.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { CommandError, EXIT } from '../exit-codes.js';

/**
 * The path of the daemon's program: beside the command line once built, in `dist/` when run from source. Throws
 * `not_built` when there is none.
 */
export function findDaemonProgram(entry: string): string {
  const candidates = ['./daemon.js', '../../dist/daemon.js'].map((path) => fileURLToPath(new URL(path, entry)));
  const found = candidates.find((path) => existsSync(path));
  if (!found)
    throw new CommandError(
      EXIT.failed,
      'The daemon was not built: run `npm run build` in the meshd repository.',
      'not_built',
    );
  return found;
}

export const REPLACED =
  'The daemon runs another build of meshd than the one that is installed: `meshd down && meshd up` starts that one.';

/**
 * Whether the daemon of `file` runs another program than the installed one, which `findProgram` returns. False where
 * either of them is not known.
 */
export function isReplaced({ program_sha256 }: DaemonFile, findProgram: () => string): boolean {
  if (program_sha256 === undefined) return false;
  try {
    return sha256Hex(readFileSync(join(dirname(findProgram()), 'daemon.cjs'))) !== program_sha256;
  } catch {
    // Not built, or not readable at present.
    return false;
  }
}

/**
 * How the user runs this program from `folder`: `meshd` where it is installed, else through node by its path, which is
 * absolute when `folder` is undefined.
 */
export function commandAsTyped(script: string, folder: string | undefined): string {
  const path = folder === undefined ? script : relative(folder, script) || script;
  return basename(script) === 'meshd' ? 'meshd' : `node ${path}`;
}
