/**
 * A filled project to look around in: makes a small repository in a temporary folder, starts the built daemon on it and fills it through its API with members,
 * conversations, answered asks, agents, a cluster with boards and posts, and payments on the local network. Prints the address; Ctrl-C ends it and
 * removes all of it. `npm run demo -- --json` prints one JSON object instead.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installPackages, requireNode } from './build/install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
requireNode();
installPackages(root);
// stdout is the demo's answer.
const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(1);
// Only now may anything be imported that the packages provide.
const { register } = await import('tsx/esm/api');
register();
await import('./demo/run.ts');
