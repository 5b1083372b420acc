import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { putFiles, temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { installPackages } from './install.mjs';

const CI = 'ci --ignore-scripts --no-audit --no-fund';
const REBUILD = 'rebuild better-sqlite3-12';
const SQLITE_12 = 'node_modules/better-sqlite3-12';
const LOCK = JSON.stringify({
  packages: {
    '': { name: 'meshd' },
    'node_modules/better-sqlite3': { version: '13.2.0' },
    [SQLITE_12]: { version: '12.11.1', optional: true, hasInstallScript: true },
  },
});
/** Installs what the lockfile names without its scripts, and builds what it is told to. */
const NPM = `#!/bin/sh
echo "$*" >> calls
case "$1" in
  ci) mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json ;;
  rebuild) mkdir -p node_modules/$2/build/Release && : > node_modules/$2/build/Release/better_sqlite3.node ;;
esac
`;

/** A project, and the calls of npm that an installation with this Node-API version makes in it. */
function project() {
  const root = temporaryFolder({ 'package-lock.json': LOCK, 'bin/npm': NPM });
  chmodSync(join(root, 'bin/npm'), 0o755);
  vi.stubEnv('PATH', `${join(root, 'bin')}${delimiter}${process.env['PATH']}`);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    log.mockRestore();
  });
  const calls = join(root, 'calls');
  const install = (nodeApi: number) => {
    rmSync(calls, { force: true });
    installPackages(root, nodeApi);
    return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  };
  return { root, install };
}

it('no script of a package is run where SQLite comes compiled', () => {
  const { install } = project();
  expect(install(10)).toEqual([CI]);
  expect(install(10)).toEqual([]);
});

it('an older Node.js has its SQLite built, also when a newer one installed the packages', () => {
  const { install } = project();
  expect(install(9)).toEqual([CI, REBUILD]);
  expect(install(9)).toEqual([]);
  const other = project();
  expect([other.install(10), other.install(9), other.install(9)]).toEqual([[CI], [REBUILD], []]);
});

it('the SQLite of an older Node.js is installed when npm has left it out as optional', () => {
  const { root, install } = project();
  const { [SQLITE_12]: _, ...packages } = JSON.parse(LOCK).packages;
  putFiles(root, { 'node_modules/.package-lock.json': JSON.stringify({ packages }) });
  expect([install(10), install(9)]).toEqual([[], [CI, REBUILD]]);
});
