import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type SQLite from 'better-sqlite3';
import { systemCode } from '../../../lib/errors.js';
import { findSqlitePackage } from '../../../lib/sqlite-package.js';
import { about, type Finding, quoted } from './check.js';

/** The version of the C or C++ library that a native module needs and the system does not have; undefined for others. */
const findLibrary = (error: unknown) =>
  error instanceof Error ? /GLIBC(?:XX)?_[\d.]+\d/.exec(error.message)?.[0] : undefined;

/** Why a native module cannot be loaded, in words. */
function findReason(error: unknown): string {
  const code = systemCode(error);
  const library = findLibrary(error);
  if (library !== undefined) return `needs ${library}, and the C library of this system is too old`;
  if (code === 'MODULE_NOT_FOUND') return 'is not installed';
  // Node.js reports both a module of another version and a missing system library with this code.
  if (code === 'ERR_DLOPEN_FAILED') return `was built for another version of Node.js than ${process.version}`;
  return `cannot be loaded (${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'no reason'})`;
}

const loadHere = createRequire(import.meta.url);
const NEWER_SYSTEM = 'use a newer release of the operating system';
const enter = (entry: string) => `cd ${quoted(fileURLToPath(new URL('..', entry)))}`;
/**
 * An installed package comes without a lockfile, and `npm install` in it would fetch the packages of its development
 * too. A clone needs those.
 */
function repair(entry: string, name: string, error: unknown): string {
  const into = enter(entry);
  if (!into.includes('/node_modules/')) return `${into} && npm install && npm rebuild`;
  // A module that comes compiled would be compiled by `npm rebuild`, which takes a compiler.
  const isMissing = systemCode(error) === 'MODULE_NOT_FOUND';
  return `${into} && npm ${isMissing ? 'install --omit=dev --no-package-lock' : `rebuild ${name}`}`;
}
const compileSqlite = (entry: string) =>
  `${NEWER_SYSTEM}, or with a C++ compiler, make and Python: ${enter(entry)} && ` +
  `npm explore ${findSqlitePackage()} -- npm run build-release`;

/** Checks that the native module of the store can be loaded. `entry` is the address of the running program. */
export function checkSqlite(entry: string, load: (name: string) => unknown = loadHere): Finding {
  const { ok, fail } = about('sqlite', 'SQLite');
  try {
    const Sqlite = load(findSqlitePackage()) as typeof SQLite;
    const database = new Sqlite(':memory:');
    const version = database.prepare('SELECT sqlite_version()').pluck().get() as string;
    database.close();
    return ok(version);
  } catch (error) {
    const fix = findLibrary(error) === undefined ? repair(entry, findSqlitePackage(), error) : compileSqlite(entry);
    return fail(`better-sqlite3 ${findReason(error)}: the daemon cannot start`, fix);
  }
}

/** Checks that the native module of the local payment network can be loaded. Everything else works without it. */
export function checkLocalNetwork(entry: string, load: (name: string) => unknown = loadHere): Finding {
  const { ok, warn } = about('litesvm', 'Local payment network');
  try {
    load('litesvm/dist/internal.js');
    return ok('litesvm is installed');
  } catch (error) {
    return warn(
      `litesvm ${findReason(error)} on ${process.platform} ${process.arch}: agents cannot be paid on ` +
        'solana:local; everything else works',
      findLibrary(error) === undefined ? repair(entry, 'litesvm', error) : NEWER_SYSTEM,
    );
  }
}
