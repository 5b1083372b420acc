import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Paths of the system's Chromium that the end-to-end tests use. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Debian's packages, without the second where there is none. */
const PACKAGES = [['chromium', 'chromium-headless-shell'], ['chromium']];

const ofSystem = () => PLACES.find((file) => existsSync(file));

/** Returns the path of the browser that Playwright has downloaded, or undefined. */
function ofPlaywright(root) {
  const { chromium } = createRequire(join(root, 'package.json'))('@playwright/test');
  const path = chromium.executablePath();
  return path && existsSync(path) ? path : undefined;
}

function attempt(command, args, root) {
  console.log(`No browser yet: ${command} ${args.join(' ')} …`);
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

/**
 * Ensures that the end-to-end tests have a Chromium: the system's, Playwright's own, or one that it installs. Exits
 * with 1 otherwise.
 */
export function ensureBrowser(root) {
  if (ofSystem() ?? ofPlaywright(root)) return;
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  const isThere =
    (mayInstall &&
      attempt('apt-get', ['update'], root) &&
      PACKAGES.some((names) => attempt('apt-get', ['install', '-y', '--no-install-recommends', ...names], root))) ||
    attempt('npx', ['playwright', 'install', 'chromium'], root);
  if (isThere && (ofSystem() ?? ofPlaywright(root))) return;
  console.error('The end-to-end tests need a Chromium: install one, or run `npx playwright install chromium`.');
  process.exit(1);
}
