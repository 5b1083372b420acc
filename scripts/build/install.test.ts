import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { putFiles, temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { installPackages } from './install.mjs';

const CI = 'ci --ignore-scripts --include=dev --include=optional --install-strategy=hoisted --no-audit --no-fund';
const REBUILD = 'rebuild better-sqlite3-12 --ignore-scripts=false';
const SQLITE_12 = 'node_modules/better-sqlite3-12';
const STAMP = 'node_modules/.cache/meshd/install.json';
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

/** A project with this npm, and the calls of npm that an installation with this Node-API version makes in it. */
function project(npm = NPM) {
  const root = temporaryFolder({ 'package-lock.json': LOCK, 'bin/npm': npm });
  chmodSync(join(root, 'bin/npm'), 0o755);
  vi.stubEnv('PATH', `${join(root, 'bin')}${delimiter}${process.env['PATH']}`);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    log.mockRestore();
  });
  const calls = join(root, 'calls');
  const getCalls = () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []);
  const install = (nodeApi: number) => {
    rmSync(calls, { force: true });
    installPackages(root, nodeApi);
    return getCalls();
  };
  /** An installation that ends the process: its calls of npm, its exit code and what it says. */
  const failToInstall = (nodeApi: number) => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    const error = vi.spyOn(console, 'error').mockReturnValue();
    try {
      expect(() => install(nodeApi)).toThrow('exit 1');
      return { calls: getCalls(), said: error.mock.calls.flat() };
    } finally {
      exit.mockRestore();
      error.mockRestore();
    }
  };
  return { root, install, failToInstall };
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

describe('an npm that exits with 0 and does not do all of it', () => {
  const packages = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/a/node_modules/@b/c': { version: '1.0.0' } };
  const whole = JSON.stringify({ packages: { ...JSON.parse(LOCK).packages, ...packages } });

  it('is told of with the packages that it left out, each time until it installs them', () => {
    const { root, install, failToInstall } = project(NPM.replace('cp package-lock.json', 'cp short.json'));
    putFiles(root, { 'package-lock.json': whole, 'short.json': LOCK });
    const failed = failToInstall(10);
    expect(failed.calls).toEqual([CI]);
    expect(failed.said).toEqual([
      expect.stringMatching(/^npm ci left out 2 of the packages \(a, @b\/c\).*npm config list/),
    ]);
    expect(existsSync(join(root, STAMP))).toBe(false);
    expect(failToInstall(10)).toEqual(failed);
    putFiles(root, { 'short.json': whole });
    expect([install(10), install(10)]).toEqual([[CI], []]);
  });

  it('is told of when it has not built the SQLite of an older Node.js', () => {
    const { root, failToInstall } = project(NPM.replace('rebuild)', 'never)'));
    const { calls, said } = failToInstall(9);
    expect(calls).toEqual([CI, REBUILD]);
    expect(said).toEqual([expect.stringMatching(/^npm rebuild did not build better-sqlite3-12.*22\.14/)]);
    expect(existsSync(join(root, STAMP))).toBe(false);
    expect(failToInstall(9).calls).toEqual([REBUILD]);
  });

  it('is noticed after the stamp of an earlier version, and when it took packages away afterwards', () => {
    const { root, install } = project();
    putFiles(root, { 'package-lock.json': whole, 'node_modules/.package-lock.json': LOCK });
    const lock = createHash('sha256').update(whole).digest('hex');
    putFiles(root, { [STAMP]: JSON.stringify({ lock }) });
    expect([install(10), install(10)]).toEqual([[CI], []]);
    putFiles(root, { 'node_modules/.package-lock.json': LOCK });
    expect([install(10), install(10)]).toEqual([[CI], []]);
  });
});
