import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BROWSERS_FOLDER, browserFolder, FLOOR, type TriedBrowser } from '../../e2e/browsers/browsers.js';

const run = promisify(execFile);

const majorOf = (version: string) => Number(/^\d+/.exec(version)?.[0] ?? 0);

/**
 * Returns the version of Debian's package to try, or undefined when none is on offer: the newest, or the oldest from
 * the floor on. Rejects where there is no apt.
 */
async function chooseVersion({ packages: [name], age, kind }: TriedBrowser): Promise<string | undefined> {
  const { stdout } = await run('apt-cache', ['madison', name]);
  const versions = stdout
    .split('\n')
    .flatMap((line) => /^\s*\S+ \| (\S+) \|/.exec(line)?.[1] ?? [])
    .filter((version) => majorOf(version) >= FLOOR[kind])
    .sort((a, b) => majorOf(a) - majorOf(b));
  return versions.at(age === 'newest' ? -1 : 0);
}

/** Returns the packages and what they need and is not installed, as `name=version`. */
async function missingPackages(wanted: readonly string[], version: string, archives: string): Promise<string[]> {
  const { stdout } = await run('apt-get', [
    ...['install', '--print-uris', '--yes', '--quiet=2', '--no-install-recommends', '--allow-downgrades'],
    ...['--reinstall', '--option', `Dir::Cache::archives=${archives}`],
    ...wanted.map((name) => `${name}=${version}`),
  ]);
  return stdout.split('\n').flatMap((line) => {
    const [, name, is] = /' ([^_ ]+)_([^_ ]+)_\S+\.deb /.exec(line) ?? [];
    return name === undefined || is === undefined ? [] : [`${name}=${decodeURIComponent(is)}`];
  });
}

/**
 * Unpacks Debian's package of the browser, and what it needs, into its folder: nothing is installed. Returns the
 * version, or undefined when Debian offers none. Rejects when a package cannot be downloaded.
 */
export async function unpackBrowser(browser: TriedBrowser): Promise<string | undefined> {
  const version = await chooseVersion(browser);
  if (version === undefined) return undefined;
  const folder = browserFolder(browser);
  mkdirSync(BROWSERS_FOLDER, { recursive: true });
  const work = mkdtempSync(join(BROWSERS_FOLDER, '.new-'));
  try {
    mkdirSync(join(work, 'archives', 'partial'), { recursive: true });
    const packages = await missingPackages(browser.packages, version, join(work, 'archives'));
    await run('apt-get', ['download', '--quiet=2', ...packages], { cwd: work });
    mkdirSync(join(work, 'root'));
    for (const file of readdirSync(work).filter((name) => name.endsWith('.deb')))
      await run('dpkg-deb', ['--extract', join(work, file), join(work, 'root')]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(work, 'root'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return version;
}
