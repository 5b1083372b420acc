/**
 * A network to try: three NATS servers in a cluster and three daemons on 127.0.0.1, each on a new project in a temporary
 * folder, or in the new folder that is named. Prints the addresses. Ctrl-C stops everything and removes it. Needs the program nats-server.
 *
 * `npm run network`, `npm run network -- /tmp/docks`
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installPackages, requireNode } from '../build/install.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
requireNode();
if (spawnSync('nats-server', ['--version']).status !== 0) {
  const command = process.platform === 'darwin' ? 'brew install nats-server' : 'sudo apt-get install nats-server';
  console.error(`The program nats-server is not on the PATH: ${command}`);
  process.exit(1);
}
installPackages(root);
const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(1);
// Imported dynamically, because the packages are installed above.
const { register } = await import('tsx/esm/api');
register();
await import('./run.ts');
