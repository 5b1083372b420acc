/**
 * A demo project: creates a small repository in a temporary folder, starts the built daemon on it and fills it through
 * the API with members, conversations, answered asks, agents, a cluster with boards and posts, and payments on the
 * local network. Prints the address. Ctrl-C stops it and removes everything. With `--json` it prints one JSON object
 * instead.
 *
 * `npm run demo -- --json`
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installPackages, requireNode } from './build/install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
requireNode();
installPackages(root);
// stdout is reserved for the demo's output.
const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(1);
// Imported dynamically, because the packages are installed above.
const { register } = await import('tsx/esm/api');
register();
await import('./demo/run.ts');
