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
];

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
const START = /^(?:main\s*::|MAIN\b|sub main\b|int main\b)|\bstatic void main\b|^(?:object|fun main)\b/;

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
    return [first, ...handedOn(tree, path)];
  });
}

const SHORT_LINES_MAX = 60;
const DEFINES = /^\s*(?:class|module|def self\.\w+|sub|def)\s+\w/;

/** The file that a short script loads last, as `require 'lamp/cli'` does. */
function handedOn(tree: ProjectTree, path: string): ProjectFact[] {
  const lines = linesIn(tree, path);
  if (lines.length > SHORT_LINES_MAX) return [];
  const loaded = lines.flatMap(
    (line) => /^\s*require\s*\(?["']([\w/.-]{1,100})["']/.exec(line.slice(0, 300))?.[1] ?? [],
  );
  const file = loaded
    .reverse()
    .map((name) => `lib/${name.replace(/\.rb$/, '')}.rb`)
    .find((one) => tree.paths.includes(one));
  if (file === undefined) return [];
  const line = findLine(tree, file, /^\s*class\s+\w/)?.line ?? findLine(tree, file, DEFINES)?.line ?? 1;
  return [{ sentence: `It runs \`${file}\``, path: file, startLine: line, endLine: line, isAlso: true }];
}
