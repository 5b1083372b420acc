import type { Arrow, SourceTree } from './imports.js';

interface Violation {
  file: string;
  said: string;
}

/**
 * Folders that each folder of the daemon may import besides itself. A higher layer never appears in the row of a lower
 * one.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  lib: ['contract'],
  private: ['contract', 'lib'],
  storage: ['contract', 'lib', 'private'],
  http: ['contract', 'lib'],
  events: ['contract', 'lib', 'storage', 'http'],
  'shared-log': ['contract', 'lib', 'storage', 'http'],
  features: ['contract', 'lib', 'private', 'storage', 'http', 'events', 'shared-log'],
  config: ['contract', 'lib'],
  'agent-library': ['contract', 'lib', 'private', 'storage', 'http', 'events', 'shared-log', 'features', 'config'],
  // The composition: the only folder that names every feature.
  app: ['contract', 'lib', 'private', 'storage', 'http', 'events', 'shared-log', 'features', 'config'],
  'run-daemon': ['contract', 'lib', 'private', 'storage', 'http', 'events', 'shared-log', 'features', 'config', 'app'],
  main: ['lib', 'run-daemon'],
  start: ['lib', 'storage'],
  backup: ['contract', 'lib', 'private', 'storage'],
  cli: ['contract', 'lib', 'private', 'backup'],
  testing: [
    'contract',
    'lib',
    'private',
    'storage',
    'http',
    'events',
    'shared-log',
    'features',
    'config',
    'agent-library',
    'app',
    'cli',
  ],
};

/** Features whose types a feature may import. It gets their instances through its constructor, never by import. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  team: [],
  imports: ['team'],
  clients: [],
  knowledge: [],
  exposure: ['team'],
  conversations: ['team', 'clients', 'knowledge'],
  asks: ['exposure', 'conversations', 'knowledge'],
  roadmap: ['team', 'conversations'],
  schedules: ['team', 'conversations'],
  checkpoints: ['conversations'],
  reviews: ['team', 'conversations'],
  usage: ['conversations'],
  worktrees: ['conversations'],
  budgets: ['conversations'],
  telemetry: ['conversations', 'asks', 'usage'],
  chains: [],
  payments: ['chains'],
  spending: ['chains', 'payments'],
  'member-tests': ['team', 'exposure', 'asks', 'knowledge'],
  'agent-host': ['exposure', 'asks', 'team', 'payments'],
  a2a: ['exposure', 'asks', 'agent-host'],
  system: ['team', 'exposure', 'asks', 'clients', 'knowledge'],
  hub: [],
  registry: [],
  reputation: [],
  clusters: [],
  'saved-clusters': ['clusters'],
  boards: ['clusters'],
  wall: ['clusters', 'boards'],
  oracle: ['hub', 'registry', 'reputation'],
  projects: [],
  network: [],
  mcp: ['team', 'exposure', 'conversations', 'asks', 'agent-host', 'oracle', 'clusters', 'boards'],
  'self-registration': ['exposure', 'hub', 'registry', 'agent-host'],
  site: ['hub', 'registry', 'reputation', 'exposure', 'agent-host', 'clusters', 'boards'],
};

const DISK = new Set([
  'node:fs',
  'node:fs/promises',
  'node:child_process',
  'better-sqlite3',
  'lowdb',
  'steno',
  'chokidar',
  'fs',
  'child_process',
]);

/** Pure modules of the daemon that the dashboard and the client library may import at run time. */
const SHARED = new Set([
  'daemon/lib/is-object.ts',
  'daemon/lib/text/display-text.ts',
  'daemon/lib/text/format-bytes.ts',
  'daemon/lib/text/sol-amount.ts',
  'daemon/lib/text/trace-labels.ts',
  'daemon/lib/crypto/ed25519-form.ts',
  'daemon/lib/crypto/jcs.ts',
]);
/** Packages that the client library may import. They are in its bundle. */
const CLIENT_PACKAGES = new Set(['@scure/base', 'tweetnacl']);

const isTest = (file: string) => /\.test\.tsx?$/.test(file);
const isFastify = (name: string) => name === 'fastify' || name === 'fastify-plugin' || name.startsWith('@fastify/');

/** Returns the folder of the daemon for `file`: `main` for `daemon/main.ts`, `lib` for `daemon/lib/ids.ts`. */
function getFolder(file: string): string {
  return (file.split('/')[1] ?? '').replace(/\.ts$/, '');
}

const getFeature = (file: string) => (getFolder(file) === 'features' ? file.split('/')[2] : undefined);
const isDaemon = (path: string) => path.startsWith('daemon/');
const isUi = (path: string) => path.startsWith('ui/');
const isGallery = (path: string) => path.startsWith('ui/gallery/');
const isUiTesting = (path: string) => path.startsWith('ui/testing/');
const isClient = (path: string) => path.startsWith('daemon/client/');

/** Checks an import of one daemon file by another. */
function findViolationWithin({ from, to, isType }: Arrow): string | undefined {
  const source = getFolder(from);
  const target = getFolder(to);
  if (source === target && source !== 'features') return undefined;
  const allowed = FOLDERS[source];
  if (!allowed) return `${source} is no folder of the house: give it a row in the table of folders`;
  if (source !== target) {
    if (to === 'package.json' || allowed.includes(target)) return undefined;
    return target === 'testing' ? 'product code never imports testing' : `${source} may not know ${target}`;
  }
  const feature = getFeature(from) ?? '';
  const other = getFeature(to) ?? '';
  if (feature === other) return undefined;
  if (!FEATURES[feature]) return `the feature ${feature} has no row in the table of features`;
  if (!FEATURES[feature].includes(other)) return `${feature} may not know ${other}`;
  return isType ? undefined : `${feature} may name ${other} only as \`import type\``;
}

/** Checks an import of a package by a daemon file. */
function findPackageViolation({ from, to }: Arrow): string | undefined {
  const folder = getFolder(from);
  if (folder === 'contract' && to !== 'typebox') return 'contract imports nothing but its schemas';
  if (isFastify(to)) {
    const mayServe = ['http', 'app', 'testing'].includes(folder) || /-(routes|socket)\.ts$/.test(from);
    if (!mayServe) return 'only routes, sockets, http and app may know Fastify';
  }
  if (DISK.has(to) && !['private', 'storage', 'backup', 'cli', 'testing', 'config'].includes(folder))
    return 'only storage touches the disk and other programs';
  return undefined;
}

function findViolation(arrow: Arrow): string | undefined {
  const { from, to, isType, isPackage } = arrow;
  if (isClient(from) && !isTest(from)) {
    if (isPackage ? CLIENT_PACKAGES.has(to) : isClient(to) || SHARED.has(to)) return undefined;
    if (isPackage || !isDaemon(to) || getFolder(to) !== 'contract')
      return 'the client library may know nothing but the contract';
    return isType ? undefined : 'the client library may name the contract only as `import type`';
  }
  if (isUi(from)) {
    if (isGallery(to) && !isGallery(from)) return 'the dashboard never imports its gallery';
    if (isUiTesting(to) && !isUiTesting(from) && !isTest(from)) return 'the dashboard never imports its testing';
    if (isPackage || !isDaemon(to) || isClient(to) || SHARED.has(to)) return undefined;
    if (isTest(from) && getFolder(to) === 'testing') return undefined;
    if (getFolder(to) !== 'contract') return 'the dashboard may know nothing of the daemon but its contract';
    return isType ? undefined : 'the dashboard may name the contract only as `import type`';
  }
  if (!isDaemon(from) || isTest(from)) return undefined;
  if (isPackage) return findPackageViolation(arrow);
  if (isClient(to))
    return getFolder(from) === 'cli' ? undefined : 'only the command line speaks through the client library';
  if (isDaemon(to)) return findViolationWithin(arrow);
  return to === 'package.json' && getFolder(from) !== 'contract'
    ? undefined
    : 'the daemon imports nothing outside itself';
}

/** Files that may read the environment and the arguments of the process. */
const READS_ENVIRONMENT = new Set([
  'daemon/config.ts',
  'daemon/cli/environment.ts',
  'daemon/cli/meshd.ts',
  'daemon/cli/run-program.ts',
]);
const ENVIRONMENT =
  /\bprocess\.(?:env|argv)\b|import\s*\{[^}]*\b(?:env|argv)\b[^}]*\}\s*from\s*['"](?:node:)?process['"]/;

/** Returns all violations of the import rules in `tree`, file by file. */
export function findViolations({ files, arrows }: SourceTree): Violation[] {
  const breaches: Violation[] = [];
  for (const arrow of arrows) {
    const message = findViolation(arrow);
    if (message) breaches.push({ file: arrow.from, said: `${message} (it names ${arrow.to})` });
  }
  for (const [file, text] of files) {
    const isExempt = isTest(file) || file.startsWith('daemon/testing/') || READS_ENVIRONMENT.has(file);
    if (isDaemon(file) && !isExempt && ENVIRONMENT.test(text)) {
      breaches.push({ file, said: 'only config (and the command line’s environment) reads environment and arguments' });
    }
  }
  return breaches;
}
