/**
 * `npm run unused` lists exports that no other file imports and files that are not used, and fails when there are any.
 * `-- --fix` removes the word `export` from those declared on its line; the compiler reports those that are then not
 * used at all (`noUnusedLocals`).
 *
 * A script instead of knip: knip 5 needs the compiler's JavaScript API, which TypeScript 7 does not have. Names are
 * compared as text, so an unused member of a class is not found.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUnusedExports, findUnusedFiles, type UnusedExport } from './exports.js';
import { readTree } from './imports.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['daemon', 'ui', 'scripts', 'e2e'];
const SOURCES = /(?<!\.d)\.(?:tsx?|mts|mjs)$/;

/**
 * Files whose exports are for users outside this repository's sources: users of the packages, test runners and
 * bundlers.
 */
const EXPORTS_FOR_OTHERS = [
  /^daemon\/client\/client\.ts$/,
  // Types of `meshd/client`.
  /^daemon\/contract\//,
  /^daemon\/agent-library\.ts$/,
  /^daemon\/agent-library\/agent-types\.ts$/,
  // Programs, whose exports `runWithCodeCache` reads.
  /^(?:daemon|scripts\/build)\/(?:test-)?main\.ts$/,
  /\.config\.ts$/,
  /^scripts\/(?:vitest-build|test-folder)\.ts$/,
  /^e2e\/looks\/pack\.ts$/,
  // Read by Stryker.
  /^scripts\/mutants\/sampled-mutants\.mjs$/,
  // Found by their folder, loaded by Vite, or substituted for another module by the tests.
  /^ui\/gallery\/stories\//,
  /^ui\/app\/frame-html\.tsx$/,
  /^daemon\/testing\/processes\/start-git-beside\.ts$/,
];
const isForOthers = (file: string) => EXPORTS_FOR_OTHERS.some((pattern) => pattern.test(file));

/** Drills and benchmarks are started by a name in a list. */
const STARTED_BY_NAME = /^scripts\/(?:hard|bench)\/(?:[\w-]+\/)?[\w-]+\.ts$/;
const STARTED_BY_HAND = new Set(['scripts/drill-install.mjs', 'scripts/real-agents.ts']);

const tree = readTree(root, FOLDERS, SOURCES);
const texts = [...tree.files.values(), readFileSync(join(root, 'package.json'), 'utf8')];
/** Returns whether another file names the file in a string, as for a program or worker that is started. */
const isNamed = (file: string) => {
  const name = basename(file);
  const names = [name, name.replace(/\.tsx?$/, '.js')].flatMap((one) => [`/${one}`, `'${one}`]);
  return texts.some((text) => text !== tree.files.get(file) && names.some((one) => text.includes(one)));
};
const isStarted = (file: string) =>
  isForOthers(file) ||
  /\.(?:test|spec)\.tsx?$/.test(file) ||
  STARTED_BY_NAME.test(file) ||
  STARTED_BY_HAND.has(file) ||
  isNamed(file);

/** Removes the word `export` from the declarations of `unused` that begin with it. */
function removeExports(unused: readonly UnusedExport[]): void {
  for (const file of new Set(unused.map((one) => one.file))) {
    const lines = (tree.files.get(file) ?? '').split('\n');
    for (const one of unused) {
      const line = lines[one.line - 1] ?? '';
      if (one.file === file) lines[one.line - 1] = line.replace(/^export (?=[a-z]+ )(?!default |type \{)/, '');
    }
    writeFileSync(join(root, file), lines.join('\n'));
  }
}

const unusedExports = findUnusedExports(tree.files, isForOthers);
if (process.argv.includes('--fix')) removeExports(unusedExports);
const unusedFiles = findUnusedFiles(tree, isStarted);
for (const { file, line, name } of unusedExports) console.error(`${file}:${line}: nobody imports ${name}`);
for (const file of unusedFiles) console.error(`${file}: nobody uses it`);
console.log(`${tree.files.size} files, ${unusedExports.length} unused exports, ${unusedFiles.length} unused files.`);
process.exitCode = unusedExports.length + unusedFiles.length > 0 ? 1 : 0;
