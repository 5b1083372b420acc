import { parseSync } from 'rolldown/utils';
import { type Arrow, importedFile } from './imports.js';

/** Exported names of a file, and the names that it imports from other files. */
interface Module {
  exported: { name: string; line: number }[];
  /** File and name of everything imported or re-exported. The name `*` stands for all exports. */
  taken: { file: string; name: string }[];
}

export interface UnusedExport {
  file: string;
  line: number;
  name: string;
}

const ALL = '*';
/**
 * `const { a, b: c } = await import('./x.js')` imports `a` and `b`. Any other dynamic import counts as importing
 * everything.
 */
const DYNAMIC = /(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g;

function readModule(file: string, text: string, files: ReadonlyMap<string, string>): Module {
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const exported: Module['exported'] = [];
  const taken: Module['taken'] = [];
  const take = (specifier: string, name: string | null) => {
    if (specifier.startsWith('.')) taken.push({ file: importedFile(file, specifier, files), name: name ?? ALL });
  };
  for (const { moduleRequest, entries } of module.staticImports) {
    for (const { importName } of entries)
      take(moduleRequest.value, importName.kind === 'Default' ? 'default' : importName.name);
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName, start } of entries) {
      if (moduleRequest) take(moduleRequest.value, importName.name);
      const name = exportName.kind === 'Default' ? 'default' : exportName.name;
      if (name !== null) exported.push({ name, line: text.slice(0, start).split('\n').length });
    }
  }
  for (const [, names, specifier = ''] of text.matchAll(DYNAMIC)) {
    if (names === undefined) take(specifier, ALL);
    else for (const name of names.split(',')) if (name.trim() !== '') take(specifier, name.replace(/:.*/s, '').trim());
  }
  return { exported, taken };
}

/**
 * Returns exports that no other file of `files` imports by name, except those of files for which `isEntry` returns
 * true. An import by a test counts.
 */
export function findUnusedExports(
  files: ReadonlyMap<string, string>,
  isEntry: (file: string) => boolean,
): UnusedExport[] {
  const modules = new Map([...files].map(([file, text]) => [file, readModule(file, text, files)]));
  const taken = new Set(
    [...modules.values()].flatMap((module) => module.taken.map(({ file, name }) => `${file} ${name}`)),
  );
  return [...modules].flatMap(([file, { exported }]) =>
    isEntry(file) || taken.has(`${file} ${ALL}`)
      ? []
      : exported.flatMap(({ name, line }) => (taken.has(`${file} ${name}`) ? [] : [{ file, line, name }])),
  );
}

/** Returns files that no other file imports and for which `isEntry` returns false. */
export function findUnusedFiles(
  { files, arrows }: { files: ReadonlyMap<string, string>; arrows: readonly Arrow[] },
  isEntry: (file: string) => boolean,
): string[] {
  const imported = new Set(arrows.flatMap(({ from, to }) => (from === to ? [] : [to])));
  return [...files.keys()].filter((file) => !imported.has(file) && !isEntry(file));
}
