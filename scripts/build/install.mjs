import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp, writeStamp } from './stamp.mjs';

const OLDEST_NODE = [20, 19];

/** Prints one sentence and exits with 1 when this Node.js is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(
    `meshd needs Node.js ${OLDEST_NODE.join('.')} or newer; this is ${process.version}. See https://nodejs.org.`,
  );
  process.exit(1);
}

const packagesOf = (lock) => Object.entries(lock?.packages ?? {}).filter(([path]) => path !== '');

/**
 * Returns whether npm has installed exactly the packages of the lockfile. Optional packages, which other platforms
 * need, may be missing.
 */
function isInstalled(root) {
  const wanted = readStamp(join(root, 'package-lock.json'));
  const present = Object.fromEntries(packagesOf(readStamp(join(root, 'node_modules/.package-lock.json'))));
  return (
    Object.keys(present).length > 0 &&
    packagesOf(wanted).every(([path, { version, integrity, optional }]) => {
      const found = present[path];
      return found ? found.version === version && found.integrity === integrity : optional === true;
    })
  );
}

/** Installs the packages of the lockfile with `npm ci`, unless they are installed. Exits when npm fails. */
export function installPackages(root) {
  const stampFile = join(root, 'node_modules/.cache/meshd/install.json');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(join(root, 'node_modules/.package-lock.json')) && readStamp(stampFile)?.lock === lock) return;
  if (!isInstalled(root)) {
    console.log('Installing packages (npm ci) …');
    const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (status !== 0) {
      console.error('npm ci failed: see its words above.');
      process.exit(status ?? 1);
    }
  }
  writeStamp(stampFile, { lock });
}
