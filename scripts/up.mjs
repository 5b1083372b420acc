/**
 * From a fresh clone to a running daemon: installs the packages when the lockfile requires it, builds stale parts,
 * starts the daemon on this repository (or attaches to it) and prints its address. Arguments are passed to `meshd up`.
 *
 * `npm run up -- --open`
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installPackages, requireNode } from './build/install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
requireNode();
installPackages(root);

// Imported dynamically, because the packages are installed above.
const { buildProject, staleParts } = await import('./build.mjs');
const meshd = (args) =>
  spawnSync(process.execPath, ['dist/meshd.js', ...args], { cwd: root, stdio: 'inherit' }).status ?? 1;
const stale = staleParts();
if (stale.length > 0) {
  const built = await buildProject();
  // A daemon of the earlier build would load chunks that the build has removed.
  if (built.includes('daemon')) meshd(['down', '--root', root]);
}
process.exitCode = meshd(['up', '--root', root, ...process.argv.slice(2)]);
