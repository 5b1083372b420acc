import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** An import of a file or a package by a file. */
export interface Arrow {
  /** Path of the importing file, relative to the tree. */
  from: string;
  /** Path of the imported file, or name of the package. */
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

/**
 * Returns the specifiers that `text` imports or re-exports, and whether only types are imported. A dynamic import in a
 * type position counts as a value.
 */
export function importsIn(text: string): { specifier: string; isType: boolean }[] {
  const found: { specifier: string; isType: boolean }[] = [];
  for (const [, type, specifier] of text.matchAll(STATEMENT))
    found.push({ specifier: specifier as string, isType: type !== undefined });
  for (const pattern of [BARE, DYNAMIC]) {
    for (const [, specifier] of text.matchAll(pattern)) found.push({ specifier: specifier as string, isType: false });
  }
  return found;
}

/** Resolves a relative specifier to a source file. Specifiers name the compiled file. */
export function importedFile(from: string, specifier: string, files: ReadonlyMap<string, string>): string {
  const path = normalize(join(dirname(from), specifier.replace(/\?.*$/, '')));
  const candidates = [path, ...['.ts', '.tsx'].map((ending) => path.replace(/\.js$/, ending))];
  return candidates.find((candidate) => files.has(candidate)) ?? path;
}

/** Returns the package of a specifier: `@scope/name` for `@scope/name/deep`. Node.js modules keep their full name. */
function getPackage(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Reads every file under `folders` of `root` whose name matches `sources` (by default TypeScript files), and their
 * imports.
 */
export function readTree(root: string, folders: readonly string[], sources = /(?<!\.d)\.tsx?$/): SourceTree {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const isInstalled = path.includes('/node_modules/');
      if (!entry.isFile() || isInstalled || !sources.test(entry.name)) continue;
      files.set(relative(root, path), readFileSync(path, 'utf8'));
    }
  }
  const arrows: Arrow[] = [];
  for (const [from, text] of files) {
    for (const { specifier, isType } of importsIn(text)) {
      const isPackage = !specifier.startsWith('.');
      arrows.push({
        from,
        to: isPackage ? getPackage(specifier) : importedFile(from, specifier, files),
        isType,
        isPackage,
      });
    }
  }
  return { files, arrows };
}
