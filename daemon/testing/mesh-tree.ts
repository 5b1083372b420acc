import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../lib/crypto/digests.js';
import { openSqlite } from '../storage/database/sqlite.js';
import { rowsOfEveryTable } from './rows-everywhere.js';

/** Files of the machine, of a running daemon, or of restores. They are not a part of a backup. */
const PASSING = /^state\/(?:id$|mesh\.db|knowledge\.db|daemon\.|restore|before-restore-|runs\/|\.)/;

/**
 * Returns the permissions and digest of every file below a project's `.mesh`, and every row of its database: what a
 * backup must restore.
 */
export function meshTree(root: string): Record<string, unknown> {
  const mesh = join(root, '.mesh');
  const tree: Record<string, unknown> = {};
  for (const path of (readdirSync(mesh, { recursive: true }) as string[]).sort()) {
    const [place, name] = [join(mesh, path), path.replaceAll('\\', '/')];
    const stats = lstatSync(place);
    if (PASSING.test(name) || stats.isDirectory()) continue;
    const contents = stats.isSymbolicLink() ? readlinkSync(place) : sha256Hex(readFileSync(place));
    tree[name] = `${(stats.mode & 0o777).toString(8)} ${contents}`;
  }
  const path = join(mesh, 'state', 'mesh.db');
  if (!lstatSync(path, { throwIfNoEntry: false })?.size) return tree;
  const database = openSqlite(path);
  tree['state/mesh.db'] = rowsOfEveryTable(database);
  database.close();
  return tree;
}
