import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommandFailure, EXIT } from './exit-codes.js';

/** Where the daemon's own program lies: beside the command line once built, in `dist/` while it runs from source. */
export function findDaemonProgram(entry: string): string {
  const candidates = ['./daemon.js', '../../dist/daemon.js'].map((path) => fileURLToPath(new URL(path, entry)));
  const found = candidates.find((path) => existsSync(path));
  if (!found) throw new CommandFailure(EXIT.failed, 'The daemon was not built: run `npm run build` in the meshd repository.', 'not_built');
  return found;
}
