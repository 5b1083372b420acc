import { foldersAround, joinPath, type PathIndex } from './path-index.js';
import { type PackageConfig, type ProjectConfig, toObject } from './project-config.js';

/** Endings of sources by the ending that an import writes. */
const SWAPS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};
const ENDINGS = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.json'];
/** Folders of what a build writes, and of what it is written from. */
const BUILT = /^(?:\.\/)?(?:dist|lib|build|out|esm|cjs)(?:\/(?:esm|cjs|types|src))?\//;
const DEPTH_MAX = 8;

/** Returns the file that an ECMAScript import means; undefined for one of another package. */
export function resolveModule(
  from: string,
  specifier: string,
  index: PathIndex,
  config: ProjectConfig,
): string | undefined {
  const name = specifier.lastIndexOf('/') + 1;
  const end = specifier.startsWith('#') ? -1 : specifier.slice(name).search(/[?#]/);
  const plain = end === -1 ? specifier : specifier.slice(0, name + end);
  if (/^\.{1,2}(?:\/|$)/.test(plain)) return file(joinPath(foldersAround(from)[0] as string, plain), index);
  if (plain.startsWith('/')) return file(plain.slice(1), index);
  if (plain.startsWith('#')) {
    const own = config.packages.find(({ folder }) => isIn(from, folder));
    const mapped = own && fromMap(own, toObject(own.imports), plain, index);
    if (mapped !== undefined) return mapped;
  }
  return byPaths(from, plain, index, config) ?? byPackage(plain, index, config);
}

const isIn = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);

/** Returns the source that a path without its ending, or with that of the built file, means. */
function file(path: string | undefined, index: PathIndex): string | undefined {
  if (path === undefined) return undefined;
  if (index.has(path)) return path;
  const ending = /\.[cm]?jsx?$/.exec(path)?.[0];
  const bare = ending ? path.slice(0, -ending.length) : path;
  return (
    index.first((SWAPS[ending ?? ''] ?? []).map((one) => bare + one)) ??
    index.first(ENDINGS.map((one) => path + one)) ??
    index.first(ENDINGS.map((one) => (path === '' ? `index${one}` : `${path}/index${one}`)))
  );
}

function byPaths(from: string, specifier: string, index: PathIndex, { tsconfigs }: ProjectConfig): string | undefined {
  for (const { folder, baseUrl, paths } of tsconfigs) {
    if (!isIn(from, folder)) continue;
    for (const [pattern, targets] of paths) {
      const rest = matched(pattern, specifier);
      if (rest === undefined) continue;
      for (const target of targets) {
        const found = file(
          joinPath(
            baseUrl ?? folder,
            target.replace('*', () => rest),
          ),
          index,
        );
        if (found !== undefined) return found;
      }
    }
    const found = baseUrl === undefined ? undefined : file(joinPath(baseUrl, specifier), index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What `*` of the pattern stands for; undefined when it does not match. */
function matched(pattern: string, specifier: string): string | undefined {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === specifier ? '' : undefined;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits = specifier.length >= pattern.length - 1 && specifier.startsWith(before) && specifier.endsWith(after);
  return fits ? specifier.slice(before.length, specifier.length - after.length) : undefined;
}

function byPackage(specifier: string, index: PathIndex, { packages }: ProjectConfig): string | undefined {
  for (const own of packages) {
    if (own.name === '' || (specifier !== own.name && !specifier.startsWith(`${own.name}/`))) continue;
    const sub = `.${specifier.slice(own.name.length)}`;
    const map =
      typeof own.exports === 'string' || !hasPaths(own.exports) ? { '.': own.exports } : toObject(own.exports);
    const found =
      fromMap(own, map, sub, index) ??
      (sub === '.' ? fromTarget(own, own.main, index) : undefined) ??
      file(joinPath(own.folder, sub), index) ??
      file(joinPath(own.folder, `src/${sub}`), index);
    if (found !== undefined) return found;
  }
  return undefined;
}

const hasPaths = (exports: unknown) => Object.keys(toObject(exports)).some((key) => key.startsWith('.'));

function fromMap(own: PackageConfig, map: Record<string, unknown>, key: string, index: PathIndex): string | undefined {
  for (const [pattern, target] of Object.entries(map)) {
    const rest = matched(pattern, key);
    if (rest === undefined) continue;
    for (const path of listTargets(target, DEPTH_MAX)) {
      const found = fromTarget(
        own,
        path.replaceAll('*', () => rest),
        index,
      );
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The paths of a target with its conditions. */
function listTargets(target: unknown, depth: number): string[] {
  if (typeof target === 'string') return [target];
  if (depth === 0 || typeof target !== 'object' || target === null) return [];
  return Object.values(target).flatMap((one) => listTargets(one, depth - 1));
}

function fromTarget(own: PackageConfig, target: string | undefined, index: PathIndex): string | undefined {
  if (target === undefined) return undefined;
  const direct = file(joinPath(own.folder, target), index);
  if (direct !== undefined || !BUILT.test(target)) return direct;
  const source = target.replace(BUILT, '').replace(/\.d\.([cm]?)ts$/, '.$1js');
  return file(joinPath(own.folder, `src/${source}`), index) ?? file(joinPath(own.folder, source), index);
}
