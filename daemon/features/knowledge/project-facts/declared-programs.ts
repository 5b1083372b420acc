import { pattern } from '../../../lib/text/pattern.js';
import { findLine, linesIn, type ProjectFact, type ProjectTree } from './project-fact.js';

/** A program that a manifest names: its file, or the end of its path where the manifest does not say the folder. */
interface Declared {
  file: string;
  manifest: string;
}

const FOUND_MAX = 3;
const LINE_MAX_CHARS = 1_000;

const quotedIn = (text: string) => [...text.matchAll(/["']([\w./-]{1,120})["']/g)].map(([, value]) => value as string);
/** Names in quotes, or of a list of words: `%w[a b]`, `qw(a b)`. */
const listed = (text: string) =>
  /(?:%w|qw)\s*[([{]([\w ./-]{1,300})/.exec(text)?.[1]?.trim().split(/\s+/) ?? quotedIn(text);

/** Where a manifest that `path` matches names its programs, and which file of the tree a name stands for. */
const MANIFESTS: readonly (readonly [path: RegExp, line: RegExp, files: (value: string) => string[]])[] = [
  [
    /^[\w.-]+\.gemspec$/,
    /\.executables?\s*(?:=|<<|\+=)\s*(.{1,300})/,
    (value) => listed(value).flatMap((name) => [`exe/${name}`, `bin/${name}`]),
  ],
  [/^(?:Makefile|Build)\.PL$/, /\b(?:EXE_FILES|script_files)\b['"]?\s*=>\s*(.{1,300})/, listed],
  [/^[\w.-]+\.cabal$/, /^\s*main-is:\s*(\S{1,120})/i, (value) => ['', 'src/', 'app/', 'exe/'].map((at) => at + value)],
  [/^package\.yaml$/, /^\s*main:\s*(\S{1,120})/, (value) => ['', 'app/', 'src/', 'exe/'].map((at) => at + value)],
  [
    /^(?:[\w-]+\/)?(?:pom\.xml|build\.gradle(?:\.kts)?|build\.xml|build\.sbt)$/,
    /(?:<mainClass>|<Main-Class>|\bmain-?class(?:Name)?\b\W{0,20}?(?:set\()?["'(]*)([A-Za-z]\w*(?:\.\w+)+)/i,
    (value) => ['java', 'kt', 'scala'].map((ending) => `/${value.replaceAll('.', '/')}.${ending}`),
  ],
  [/^composer\.json$/, /^\s*"bin"\s*:\s*(\[?.{1,300})/, quotedIn],
  [/^mix\.exs$/, /\bmain_module:\s*([A-Z][\w.]{0,120})/, elixirFile],
  [/^mix\.exs$/, /\bmod:\s*\{\s*([A-Z][\w.]{0,120})/, elixirFile],
  [/^(?:apps\/\w+\/)?src\/\w+\.app\.src$/, /\{mod,\s*\{(\w{1,120})/, (value) => [`/${value}.erl`]],
];

/** Returns the file of an Elixir module, as the language's own tools name it. */
function elixirFile(module: string): string[] {
  const words = module.replace(/([A-Z]+)(?=[A-Z][a-z])|([a-z\d])(?=[A-Z])/g, '$&_');
  return [`lib/${words.replaceAll('.', '/').toLowerCase()}.ex`];
}

/** Finds the file of the tree that is named, whole or as the end of a path. */
const findFile = (tree: ProjectTree, named: string) =>
  named.startsWith('/')
    ? tree.paths.find((path) => path.endsWith(named))
    : tree.paths.find((path) => path === named.replace(/^\.\//, ''));

function declared(tree: ProjectTree): Declared[] {
  return MANIFESTS.flatMap(([manifests, pattern, files]) =>
    tree.paths
      .filter((path) => manifests.test(path))
      .flatMap((manifest) =>
        linesIn(tree, manifest).flatMap((line) => {
          const value = line.length > LINE_MAX_CHARS ? undefined : pattern.exec(line)?.[1];
          const found = value === undefined ? [] : files(value).flatMap((file) => findFile(tree, file) ?? []);
          return found.map((file) => ({ file, manifest }));
        }),
      ),
  );
}

/** Where the code of a program begins. */
const START = pattern`
  ^(?:main\s*::|MAIN\b|sub main\b|int main\b|start\()
  |\bstatic void main\b
  |^(?:object|fun main)\b
  |^\s*def (?:main|start)\(
`;

/**
 * Returns the programs that manifests name (gems, Perl, Haskell, the JVM, Composer), those called as the project first,
 * each with the file of the project that a short one hands on to.
 */
export function declaredPrograms(tree: ProjectTree, names: readonly string[]): ProjectFact[] {
  const stem = (path: string) => (path.split('/').at(-1) ?? '').replace(/\.\w+$/, '').toLowerCase();
  const files = [...new Set(declared(tree).map(({ file }) => file))].sort(
    (a, b) => Number(names.includes(stem(b))) - Number(names.includes(stem(a))),
  );
  return files.slice(0, FOUND_MAX).flatMap((path) => {
    const line = findLine(tree, path, START)?.line ?? 1;
    const sentence = `The program starts in \`${path}\``;
    const first = { sentence, path, startLine: line, endLine: line, isAlso: true };
    return [first, ...findLoadedFile(tree, path)];
  });
}

const SHORT_LINES_MAX = 60;
const DEFINES = /^\s*(?:(?:abstract |final )*class|module|package|def self\.\w+|sub|def)\s+\w/;
/** How a short script loads what it runs, in Ruby, Perl and PHP, and the file of the project that is meant. */
const LOADS: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/^\s*require\s*\(?["']([\w/.-]{1,100})["']/, (name) => `lib/${name.replace(/\.rb$/, '')}.rb`],
  [/^\s*use ([A-Z]\w*(?:::\w+){0,8})\b/, (name) => `lib/${name.replaceAll('::', '/')}.pm`],
  [/\bnew\s+\\?(?:\w{1,60}\\){0,8}([A-Z]\w{1,60})\s*\(/, (name) => `/${name}.php`],
];

/** Returns the file that a short script loads last, as `require 'lamp/cli'` does. */
export function findLoadedFile(tree: ProjectTree, path: string): ProjectFact[] {
  const lines = linesIn(tree, path);
  if (lines.length > SHORT_LINES_MAX) return [];
  const loaded = lines.flatMap((line) =>
    LOADS.flatMap(([load, toFile]) => {
      const name = load.exec(line.slice(0, 300))?.[1];
      return name === undefined ? [] : (findFile(tree, toFile(name)) ?? []);
    }),
  );
  const file = loaded.findLast((one) => one !== path);
  if (file === undefined) return [];
  const line = findLine(tree, file, /^\s*(?:(?:abstract |final )*class|package)\s+\w/) ?? findLine(tree, file, DEFINES);
  const at = line?.line ?? 1;
  return [{ sentence: `It runs \`${file}\``, path: file, startLine: at, endLine: at, isAlso: true }];
}
