import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp, writeStamp } from './stamp.mjs';

const OLDEST_NODE = [20, 19];
/** The Node-API version from which on SQLite is a package whose compiled modules come with it. */
const NODE_API = 10;
const SQLITE_12 = 'better-sqlite3-12';
const FOLDER = 'node_modules/';
/** Where npm notes what it has installed. */
const PRESENT = 'node_modules/.package-lock.json';
/** The user's `omit`, NODE_ENV and `install-strategy` do not count: the build needs all packages, at their paths. */
const CI = 'ci --ignore-scripts --include=dev --include=optional --install-strategy=hoisted --no-audit --no-fund';
/** How many missing packages are named. */
const NAMED = 3;

/** Prints one sentence and exits with 1 when this Node.js is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(
    `meshd needs Node.js ${OLDEST_NODE.join('.')} or newer; this is ${process.version}. See https://nodejs.org.`,
  );
  process.exit(1);
}

/** Returns the SHA-256 digest of a file of the project, or undefined when it is not there. */
function digest(root, path) {
  const file = join(root, path);
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : undefined;
}

const packagesOf = (lock) => Object.entries(lock?.packages ?? {}).filter(([path]) => path !== '');

/** Returns whether SQLite's module for Node.js before 22.14 is there, or not needed. */
const isBuilt = (root, nodeApi) =>
  nodeApi >= NODE_API || existsSync(join(root, 'node_modules', SQLITE_12, 'build/Release/better_sqlite3.node'));

/**
 * Returns the paths of the lockfile's packages that npm has not installed in exactly that version. Optional packages,
 * which other platforms and other versions of Node.js need, may be missing.
 */
function findMissing(root, nodeApi) {
  const wanted = readStamp(join(root, 'package-lock.json'));
  const present = Object.fromEntries(packagesOf(readStamp(join(root, PRESENT))));
  const isMissing = ([path, { version, integrity, optional }]) => {
    const found = present[path];
    if (found) return found.version !== version || found.integrity !== integrity;
    return optional !== true || (nodeApi < NODE_API && path === `node_modules/${SQLITE_12}`);
  };
  return packagesOf(wanted)
    .filter(isMissing)
    .map(([path]) => path);
}

/** Runs npm with `args`, and exits when it fails. */
function runNpm(root, args) {
  console.log(`Installing packages (npm ${args.slice(0, 2).join(' ')}) …`);
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) return;
  console.error(`npm ${args[0]} failed: see its words above.`);
  process.exit(status ?? 1);
}

/** Exits with one sentence when npm has left out packages or SQLite's module, although it did not fail. */
function requireInstalled(root, nodeApi) {
  const missing = findMissing(root, nodeApi).map((path) => path.slice(path.lastIndexOf(FOLDER) + FOLDER.length));
  const named = missing.slice(0, NAMED).join(', ') + (missing.length > NAMED ? ', …' : '');
  if (missing.length > 0) {
    console.error(
      `npm ci left out ${missing.length} of the packages (${named}): look in \`npm config list\` for the setting ` +
        'that makes it do so, remove it, and run this again.',
    );
  } else if (!isBuilt(root, nodeApi)) {
    console.error(
      `npm rebuild did not build ${SQLITE_12}, which Node.js before 22.14 needs: use a newer Node.js, or install ` +
        'Python, make and a C++ compiler, and run this again.',
    );
  } else return;
  process.exit(1);
}

/**
 * Installs the packages of the lockfile, unless they are installed, whatever npm's configuration leaves out. Exits when
 * npm fails or they are not there afterwards. Of the packages' scripts only the one is run that fetches or compiles
 * SQLite for a Node.js whose Node-API version, `nodeApi`, is below 10: npm would also compile the newer SQLite, which
 * needs no compiler (the lockfile does not say so), and no other script is needed.
 */
export function installPackages(root, nodeApi = Number(process.versions.napi)) {
  const stampFile = join(root, 'node_modules/.cache/meshd/install.json');
  const lock = digest(root, 'package-lock.json');
  const stamp = readStamp(stampFile);
  const present = digest(root, PRESENT);
  // The stamp outlives packages that npm takes away later, so that what npm has installed counts too.
  const isStamped = present !== undefined && stamp?.present === present && stamp.lock === lock;
  if (isStamped && isBuilt(root, nodeApi)) return;
  if (findMissing(root, nodeApi).length > 0) runNpm(root, CI.split(' '));
  if (!isBuilt(root, nodeApi)) runNpm(root, ['rebuild', SQLITE_12, '--ignore-scripts=false']);
  requireInstalled(root, nodeApi);
  writeStamp(stampFile, { lock, present: digest(root, PRESENT) });
}
