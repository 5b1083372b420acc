/**
 * Development mode: runs the daemon on this repository, rebuilds and restarts it whenever its source changes, and runs
 * Vite's development server for the dashboard, which proxies API calls to it. Ctrl-C ends both.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, requireNode } from './build/install.mjs';

/** Port to which Vite's proxy sends API calls. */
const PORT = 4747;
const SETTLE_MS = 150;
const STOP_LIMIT_MS = 8_000;
/** Source folders of the daemon and the command line. */
const SOURCES = ['daemon'];

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

/** Stops the daemon. Kills it when it does not exit within STOP_LIMIT_MS. */
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

/**
 * Rebuilds, and replaces the daemon when the build has changed. When the build fails, the old daemon continues to run.
 */
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
    // Waits neither for a build in progress nor for a page that holds its connection.
    await stopDaemon();
    process.exit(0);
  });
}
