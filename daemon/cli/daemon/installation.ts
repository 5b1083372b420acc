import { existsSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** How the user runs this program from `folder`: `meshd` where it is installed, else through node by its path. */
export function commandAsTyped(script: string, folder: string): string {
  return basename(script) === 'meshd' ? 'meshd' : `node ${relative(folder, script) || script}`;
}
