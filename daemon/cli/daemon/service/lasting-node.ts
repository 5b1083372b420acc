import { realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const KEG = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/;
const SNAP = /^(.*\/snap\/[^/]+)\/\d+\/(.+)$/;
const STORE = '/nix/store/';

/** Where Homebrew, snap and Nix keep a link to the version that is current. */
function listLinks(path: string, folders: readonly string[], store: string): string[] {
  const [, prefix, formula] = KEG.exec(path) ?? [];
  if (prefix !== undefined && formula !== undefined) return [join(prefix, 'opt', formula, 'bin/node')];
  const [, snap, inside] = SNAP.exec(path) ?? [];
  if (snap !== undefined && inside !== undefined) return [join(snap, 'current', inside)];
  if (!path.startsWith(store)) return [];
  return folders.filter((one) => isAbsolute(one) && !one.startsWith(store)).map((one) => join(one, 'node'));
}

/**
 * The path of the Node.js at `path` that lasts over upgrades: Homebrew, snap and Nix remove the folder of a version,
 * and keep a link to the current one; that of Nix is in one of `folders`, the user's PATH. Returns `path` where there
 * is no link to it.
 */
export function lastingNode(path: string, folders: readonly string[] = [], store = STORE): string {
  const leadsThere = (link: string) => {
    try {
      return realpathSync(link) === realpathSync(path);
    } catch {
      // Not linked.
      return false;
    }
  };
  return listLinks(path, folders, store).find(leadsThere) ?? path;
}
