import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** One file naming another (or a package), as it is written. */
export interface Arrow {
  /** Path of the file, relative to the tree. */
  from: string;
  /** Path of the file it names, or the package's name. */
  to: string;
  isType: boolean;
  isPackage: boolean;
}

export interface SourceTree {
  files: ReadonlyMap<string, string>;
  arrows: readonly Arrow[];
}

const STATEMENT = /^[ \t]*(?:import|export)\b(\s+type\b(?!\s*(?:,|from\b)))?[^'"`;=()]*?\bfrom\s*['"]([^'"]+)['"]/gm;
const BARE = /^[ \t]*import\s*['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** What `text` imports or re-exports: specifier and whether only for its types. A dynamic import in a type position counts as a value. */
export function importsIn(text: string): { specifier: string; isType: boolean }[] {
  const found: { specifier: string; isType: boolean }[] = [];
  for (const [, type, specifier] of text.matchAll(STATEMENT))
    found.push({ specifier: specifier as string, isType: type !== undefined });
  for (const pattern of [BARE, DYNAMIC]) {
    for (const [, specifier] of text.matchAll(pattern)) found.push({ specifier: specifier as string, isType: false });
  }
  return found;
}

/** The file that a relative specifier means: sources are named as what they compile to. */
export function importedFile(from: string, specifier: string, files: ReadonlyMap<string, string>): string {
  const path = normalize(join(dirname(from), specifier.replace(/\?.*$/, '')));
  const candidates = [path, ...['.ts', '.tsx'].map((ending) => path.replace(/\.js$/, ending))];
  return candidates.find((candidate) => files.has(candidate)) ?? path;
}

/** `@scope/name/deep` is the package `@scope/name`; Node's own modules keep their whole name. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Reads every TypeScript file under `folders` of `root`, or those whose names match `sources`, and who names whom. */
export function readTree(root: string, folders: readonly string[], sources = /(?<!\.d)\.tsx?$/): SourceTree {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !sources.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(relative(root, path), readFileSync(path, 'utf8'));
    }
  }
  const arrows: Arrow[] = [];
  for (const [from, text] of files) {
    for (const { specifier, isType } of importsIn(text)) {
      const isPackage = !specifier.startsWith('.');
      arrows.push({
        from,
        to: isPackage ? packageOf(specifier) : importedFile(from, specifier, files),
        isType,
        isPackage,
      });
    }
  }
  return { files, arrows };
}
