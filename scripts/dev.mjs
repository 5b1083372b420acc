/**
 * For working on meshd itself: the daemon on this repository, rebuilt and restarted whenever its source changes, and Vite's development
 * server for the dashboard, which passes API calls on to it. Ctrl-C ends both.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, requireNode } from './build/install.mjs';

/** Where Vite's proxy looks for the daemon. */
const PORT = 4747;
const SETTLE_MS = 150;
const STOP_LIMIT_MS = 8_000;
/** What the daemon and the command line are built from. */
const SOURCES = ['daemon', 'client'];

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
requireNode();
installPackages(root);
const { buildProject } = await import('./build.mjs');
const { createServer } = await import('vite');

let daemon;
let isEnding = false;

function startDaemon() {
  const child = spawn(process.execPath, ['dist/daemon.js', '--root', root, '--port', String(PORT), '--foreground'], {
    cwd: root,
    stdio: 'inherit',
  });
  child.once('exit', (exit) => {
    if (daemon === child && !isEnding && exit !== 0)
      console.error(`The daemon ended with ${exit}; it starts again with the next change.`);
  });
  daemon = child;
}

/** Ends the daemon, by force when it takes longer than it should. */
async function stopDaemon() {
  const child = daemon;
  daemon = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(force);
}

let running = Promise.resolve();

/** Builds and, when the program came out different, replaces the daemon; a build that fails leaves the old one serving. */
function renew() {
  running = running.then(async () => {
    if (isEnding) return;
    try {
      const built = await buildProject({ only: ['daemon'] });
      if (isEnding || (built.length === 0 && daemon)) return;
      await stopDaemon();
      if (!isEnding) startDaemon();
    } catch (error) {
      console.error(error.message);
    }
  });
}

spawnSync(process.execPath, ['dist/meshd.js', 'down', '--root', root], { cwd: root, stdio: 'ignore' });
renew();
await running;

let timer;
const watchers = SOURCES.map((folder) =>
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (file?.endsWith('.tmp')) return;
    clearTimeout(timer);
    timer = setTimeout(renew, SETTLE_MS);
  }),
);

const vite = await createServer({ configFile: join(root, 'ui/vite.config.ts') });
await vite.listen();
vite.printUrls();

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    isEnding = true;
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    // Neither a build that is under way nor a page that holds its connection is waited for.
    await stopDaemon();
    process.exit(0);
  });
}
