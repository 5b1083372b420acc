import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp, writeStamp } from './stamp.mjs';

const OLDEST_NODE = [20, 19];
/** The Node-API version from which on SQLite is a package whose compiled modules come with it. */
const NODE_API = 10;
const SQLITE_12 = 'better-sqlite3-12';

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

/** Returns whether SQLite's module for Node.js before 22.14 is there, or not needed. */
const isBuilt = (root, nodeApi) =>
  nodeApi >= NODE_API || existsSync(join(root, 'node_modules', SQLITE_12, 'build/Release/better_sqlite3.node'));

/**
 * Returns whether npm has installed exactly the packages of the lockfile. Optional packages, which other platforms
 * and other versions of Node.js need, may be missing.
 */
function isInstalled(root, nodeApi) {
  const wanted = readStamp(join(root, 'package-lock.json'));
  const present = Object.fromEntries(packagesOf(readStamp(join(root, 'node_modules/.package-lock.json'))));
  return (
    Object.keys(present).length > 0 &&
    packagesOf(wanted).every(([path, { version, integrity, optional }]) => {
      const found = present[path];
      if (found) return found.version === version && found.integrity === integrity;
      return optional === true && (nodeApi >= NODE_API || path !== `node_modules/${SQLITE_12}`);
    })
  );
}

/** Runs npm with `args`, and exits when it fails. */
function runNpm(root, args) {
  console.log(`Installing packages (npm ${args.slice(0, 2).join(' ')}) …`);
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) return;
  console.error(`npm ${args[0]} failed: see its words above.`);
  process.exit(status ?? 1);
}

/**
 * Installs the packages of the lockfile, unless they are installed. Exits when npm fails. Of the packages' scripts only
 * the one is run that fetches or compiles SQLite for a Node.js whose Node-API version, `nodeApi`, is below 10: npm would
 * also compile the newer SQLite, which needs no compiler (the lockfile does not say so), and no other script is needed.
 */
export function installPackages(root, nodeApi = Number(process.versions.napi)) {
  const stampFile = join(root, 'node_modules/.cache/meshd/install.json');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const isStamped = existsSync(join(root, 'node_modules/.package-lock.json')) && readStamp(stampFile)?.lock === lock;
  if (isStamped && isBuilt(root, nodeApi)) return;
  if (!isInstalled(root, nodeApi)) runNpm(root, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  if (!isBuilt(root, nodeApi)) runNpm(root, ['rebuild', SQLITE_12]);
  writeStamp(stampFile, { lock });
}
