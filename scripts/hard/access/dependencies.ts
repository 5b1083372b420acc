/**
 * Checks the packages of the lockfile, for every platform, and the installed ones: exact versions equal to the locked
 * ones, a digest for each, no version affected by known advisories, install scripts only where they are allowed,
 * permitted licences, and few packages at run time. The full tier also queries the registry for advisories, where it
 * responds.
 *
 * `npx tsx scripts/hard/access/dependencies.ts [--audit 1]`
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Drill, runDrill } from '../drill.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Package {
  version?: string;
  integrity?: string;
  license?: string;
  resolved?: string;
  link?: true;
  dev?: true;
  devOptional?: true;
  peer?: true;
  optional?: true;
  hasInstallScript?: true;
}
type Packages = Readonly<Record<string, Package>>;

const RUNTIME_MAX = 120;
/** Licences permitted for tools. CC-BY-4.0 is that of data which a tool reads. */
const LICENCES =
  /^(?:MIT|Apache-2\.0|ISC|0BSD|BSD-[23]-Clause|BlueOak-1\.0\.0|OFL-1\.1|Unlicense|MPL-2\.0|CC-BY-4\.0)$/;
/** Licences permitted for delivered packages. None of them imposes an obligation on the users of meshd. */
const DELIVERED = /^(?:MIT|Apache-2\.0|ISC|0BSD|BSD-[23]-Clause|BlueOak-1\.0\.0|OFL-1\.1|Unlicense)$/;
/** First version of each major version that no advisory affects. */
const FLOORS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  fastify: { 5: '5.8.3' },
  ws: { 8: '8.21.0' },
  undici: { 6: '6.24.0', 7: '7.24.0' },
  vite: { 8: '8.0.5' },
  esbuild: { 0: '0.28.1' },
  'fast-uri': { 3: '3.1.1', 4: '4.0.0' },
  nanoid: { 3: '3.3.18', 5: '5.0.9' },
};

const readJson = <T>(path: string): T => JSON.parse(readFileSync(`${root}${path}`, 'utf8')) as T;
const getName = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const isAllowed = (licence: string | undefined, allowed: RegExp) =>
  (licence ?? 'none')
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => allowed.test(part.trim())));

function isOlder(version: string, floor: string): boolean {
  const [have, least] = [version, floor].map((text) => text.split(/[.-]/).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ];
  const at = have.findIndex((number, index) => number !== least[index]);
  return at !== -1 && (have[at] as number) < (least[at] as number);
}

function askRegistry(drill: Drill): void {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  let found: { metadata?: { vulnerabilities?: Record<string, number> } } = {};
  try {
    found = JSON.parse(stdout) as typeof found;
  } catch {
    // A missing response is reported below as not run.
  }
  const { high, critical } = found.metadata?.vulnerabilities ?? {};
  if (high === undefined || critical === undefined)
    drill.notRun('known advisories', 'the registry does not answer `npm audit` here');
  else
    drill.measure({
      measure: 'high and critical advisories of what is delivered',
      value: high + critical,
      unit: 'advisories',
      exactly: 0,
    });
}

interface Manifest extends Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>> {
  allowScripts: Record<string, boolean>;
}
/** Packages of the lockfile with their paths. */
type Entries = readonly [path: string, locked: Package][];

/** Packages that are asked for in another version than the locked one, or in a range. */
function checkVersions(drill: Drill, manifest: Manifest, packages: Packages, all: Entries): void {
  const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  const loose = Object.entries(asked).filter(
    // An alias names the package too: `npm:package@1.2.3`.
    ([name, version]) => packages[`node_modules/${name}`]?.version !== version.replace(/^npm:.+@/, ''),
  );
  drill.none(
    'packages that are not asked for in one exact version, the locked one',
    'packages',
    loose.map(([name, version]) => `${name} ${version}`),
    `${all.length} locked`,
  );
}

/** Installed packages in another version than the locked one. Returns those that the lockfile contains. */
function checkInstalled(drill: Drill, packages: Packages, installed: Packages): Entries {
  // Installed packages that the lockfile does not contain remain from an earlier lockfile. They are only reported.
  const [known = [], left = []] = [true, false].map((is) =>
    Object.entries(installed).filter(([path]) => (packages[path] !== undefined) === is),
  );
  drill.none(
    'packages installed in another version than the locked one',
    'packages',
    known.filter(([path, { version }]) => packages[path]?.version !== version).map(([path]) => path),
    left.length ? `left over: ${left.map(([path]) => getName(path)).join(', ')}` : undefined,
  );
  return known;
}

/** Where packages come from, and whether each has the digest by which it was locked. */
function checkOrigins(drill: Drill, packages: Packages, all: Entries, known: Entries): void {
  const foreign = all.filter(
    ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
  );
  drill.none(
    'packages from elsewhere than the registry',
    'packages',
    foreign.map(([path]) => path),
  );
  // Includes packages for other platforms, since the lockfile must cover what any platform installs.
  const bare = all.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  drill.none(
    'locked packages without a digest, those of other platforms among them',
    'packages',
    bare.map(([path, { version }]) => `${getName(path)} ${version}`),
    `${all.filter(([, { optional }]) => optional).length} are optional`,
  );
  const other = known.filter(([path, { integrity }]) => integrity !== packages[path]?.integrity);
  drill.none(
    'packages installed by another digest than the locked one',
    'packages',
    other.map(([path]) => path),
  );
}

/** Install scripts, licences and versions with known advisories. */
function checkPermitted(drill: Drill, manifest: Manifest, all: Entries, delivered: Entries): void {
  const scripts = all.filter(([path, one]) => one.hasInstallScript && manifest.allowScripts[getName(path)] !== true);
  drill.none(
    'packages that would run a program while installing',
    'packages',
    scripts.map(([path]) => path),
  );
  const licences = all.filter(
    ([path, { license }]) => !isAllowed(license, delivered.some(([one]) => one === path) ? DELIVERED : LICENCES),
  );
  drill.none(
    'packages with a licence that may not be',
    'packages',
    licences.map(([path, { license }]) => `${getName(path)} ${license}`),
  );
  const old = all.flatMap(([path, { version = '0' }]) => {
    const floor = FLOORS[getName(path)]?.[Number(version.split('.')[0])];
    const isKnown = FLOORS[getName(path)] === undefined || floor !== undefined;
    return isKnown && !(floor && isOlder(version, floor)) ? [] : [`${getName(path)} ${version}`];
  });
  drill.none(
    'packages older than their advisories allow',
    'packages',
    old,
    `${Object.keys(FLOORS).length} with a floor`,
  );
}

await runDrill('dependencies', async (drill) => {
  const manifest = readJson<Manifest>('package.json');
  const { packages } = readJson<{ packages: Packages }>('package-lock.json');
  const installed = readJson<{ packages: Packages }>('node_modules/.package-lock.json').packages;
  const all = Object.entries(packages).filter(([path, one]) => path !== '' && !one.link);
  const delivered = all.filter(([, one]) => !one.dev && !one.devOptional && !one.peer);
  checkVersions(drill, manifest, packages, all);
  const known = checkInstalled(drill, packages, installed);
  checkOrigins(drill, packages, all, known);
  checkPermitted(drill, manifest, all, delivered);
  drill.measure({ measure: 'packages at run time', value: delivered.length, unit: 'packages', atMost: RUNTIME_MAX });
  if (drill.bound('audit') > 0) askRegistry(drill);
});
