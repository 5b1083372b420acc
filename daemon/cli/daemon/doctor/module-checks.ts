import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type SQLite from 'better-sqlite3';
import { systemCode } from '../../../lib/errors.js';
import { findSqlitePackage } from '../../../lib/sqlite-package.js';
import { about, type Finding, quoted } from './check.js';

/** Why a native module cannot be loaded, in words. */
function findReason(error: unknown): string {
  const code = systemCode(error);
  if (code === 'MODULE_NOT_FOUND') return 'is not installed';
  // Node.js reports both a module of another version and a missing system library with this code.
  if (code === 'ERR_DLOPEN_FAILED') return `was built for another version of Node.js than ${process.version}`;
  return `cannot be loaded (${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'no reason'})`;
}

const loadHere = createRequire(import.meta.url);
const rebuild = (entry: string) => `cd ${quoted(fileURLToPath(new URL('..', entry)))} && npm install && npm rebuild`;

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
    return fail(`better-sqlite3 ${findReason(error)}: the daemon cannot start`, rebuild(entry));
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
      rebuild(entry),
    );
  }
}
