import { realpathSync } from 'node:fs';
import { join } from 'node:path';

const KEG = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/;

/**
 * The path of the Node.js at `path` that lasts over upgrades: Homebrew removes the folder of a version, and keeps a
 * link to the current one. Returns `path` where there is no link to it.
 */
export function lastingNode(path: string): string {
  const [, prefix, formula] = KEG.exec(path) ?? [];
  if (prefix === undefined || formula === undefined) return path;
  const link = join(prefix, 'opt', formula, 'bin/node');
  try {
    return realpathSync(link) === realpathSync(path) ? link : path;
  } catch {
    // Not linked.
    return path;
  }
}
