import { posix } from 'node:path';
import { pattern, patternWith } from '../../../lib/text/pattern.js';
import { sourceOf } from './built-from.js';
import { declaredPrograms, findLoadedFile } from './declared-programs.js';
import { findLine, linesIn, type ProjectFact, type ProjectTree } from './project-fact.js';

/** Files that hold a program's first function, by ending. */
const MAINS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.go$/, /^func main\(\)/],
  [/\.rs$/, /^(?:pub\s+)?(?:async\s+)?fn main\(/],
  [/\.(?:c|cc|cpp|cxx)$/, /^(?:extern\s+"C"\s+)?(?:int|void)\s+(?:\w+\s+)?w?main\s*\(/],
  [/\.java$/, /public\s+static\s+void\s+main\s*\(/],
  [/\.kt$/, /^fun main\(/],
  [/\.cs$/, /static\s+(?:async\s+)?(?:void|int|Task(?:<int>)?)\s+Main\s*\(/],
  // Without a class, the program is what stands after the usings.
  [/(?:^|\/)Program\.cs$/, /^(?!using\b|namespace\b|\/[/*]|\s|\*|#|\uFEFF)\S/],
  [/\.[cm]?[jt]s$/, /^if \(import\.meta\.main\)/],
  [/(?:^|\/)__main__\.py$/, /\S/],
  [/(?:^|\/)Main\.l?hs$/, /^>?\s*main\s*::/],
  [/\.(?:scala|sc)$/, /^\s*(?:def main\(|object \w+ extends App\b|@main\b)/],
  [/\.(?:d|zig|nim|v|odin)$/, /^\s*(?:pub )?(?:fn|int|void|proc) main\b/],
  [/\.(?:swift|dart)$/, /^(?:@main\b|(?:void |Future<void> )?main\()/],
];
/** Scripts that run when they are called by name: where a project starts only when nothing else tells. */
const SCRIPTS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.py$/, /^if __name__ == ['"]__main__['"]/],
  [/(?:\.(?:sh|bash|pl|rb|py)|\/bin\/[\w-]+)$/, /^#!/],
];
const ASIDE = patternWith('i')`
    (?:^|\/)(?:(?:[\w-]+[_-])?tests?|x?t|testdata|fixtures|spec|examples?|benchmarks?|bench|fuzz(?:ing)?|docs?|samples?
      |demos?|deps|vendor|third[_-]party|extern(?:al)?|scripts?|tools|xtask|helpers|contrib|ci|build-aux|\.mvn)\/
    |[_-]tests?\.\w+$
    |(?:^|\/)(?:tests?|benchmarks?|bench|examples?)\.(?:c|cc|cpp|cxx|go|rs|java|py)$
  `;
const FOUND_MAX = 5;
const FIELDS: readonly (readonly [string, RegExp, (value: string) => string])[] = [
  ['package.json', /^\s*"bin"\s*:\s*"([^"]{1,200})"/, (value) => `Its command starts in \`${value}\``],
  ['package.json', /^\s*"main"\s*:\s*"([^"]{1,200})"/, (value) => `The entry point is \`${value}\``],
  ['package.json', /^\s*"module"\s*:\s*"([^"]{1,200})"/, (value) => `The entry point of its modules is \`${value}\``],
];
/** Where a library begins in its language, and what to say of the first file that is there. */
const CONVENTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^src\/lib\.rs$/, /\S/],
  [/^(?:src\/|lib\/)?[\w-]+\/__init__\.py$/, /\S/],
  [/^(?:src\/|lib\/)?index\.[cm]?[jt]sx?$/, /\S/],
  [/^lib\/[\w-]+\.rb$/, /\S/],
  [/^include\/(?:[\w.-]+\/){0,2}[\w.-]+\.(?:h|hh|hpp|hxx)$/, /\S/],
];

/** Lines of a file that does nothing but pass another on. */
const PASSING_LINES_MAX = 12;
const PASSES_ON = pattern`
    ^\s*(?:module\.)?exports\s*=\s*require\(\s*["'](\.{1,2}\/[\w./-]{1,120})["']\s*\)
    |^\s*export\s+(?:\*|\{[^}]{0,200}\})\s+from\s+["'](\.{1,2}\/[\w./-]{1,120})["']
  `;

/** The file that a field of the manifest names, or what it is built from, and the one that it only passes on. */
function begun(tree: ProjectTree, named: string): ProjectFact[] {
  const has = (path: string) => tree.paths.includes(path);
  const path = sourceOf(named, '', has);
  if (path === undefined) return [];
  const first = toFact(`It begins in \`${path}\``, path, findLine(tree, path, DEFINES)?.line ?? 1);
  const code = linesIn(tree, path).filter((line) => !/^\s*(?:$|\/[/*]|\*|["']use strict)/.test(line));
  const specifier = code.length > PASSING_LINES_MAX ? undefined : findPassed(code);
  const next = specifier ? sourceOf(posix.join(posix.dirname(path), specifier), '', has) : undefined;
  if (next === undefined) return [first];
  return [first, toFact(`It passes \`${next}\` on`, next, findLine(tree, next, DEFINES)?.line ?? 1)];
}

const findPassed = (code: readonly string[]) =>
  code.flatMap((line) => {
    const found = PASSES_ON.exec(line.slice(0, 500));
    return found ? [found[1] ?? found[2] ?? ''] : [];
  })[0];

const toFact = (sentence: string, path: string, line: number): ProjectFact => ({
  sentence,
  path,
  startLine: line,
  endLine: line,
  isAlso: true,
});

/**
 * Returns where the project starts: what its manifests name, then its `main` functions, then where a library of its
 * language begins, then what is imported by a module's name, and scripts when there is nothing else.
 */
export function findEntryPoints(tree: ProjectTree, names: readonly string[] = [], isLibrary = false): ProjectFact[] {
  const fields = isLibrary ? FIELDS.filter(([, { source }]) => !source.includes('bin')) : FIELDS;
  const named = fields.flatMap(([path, pattern, say]) => {
    const found = findLine(tree, path, pattern);
    return found ? [toFact(say(found.value), path, found.line), ...begun(tree, found.value)] : [];
  });
  const programs = [...declaredPrograms(tree, names), ...firstLines(tree, MAINS, names), ...executables(tree, names)];
  const found = [...named, ...(isLibrary ? [] : programs), ...libraries(tree, names), ...(isLibrary ? programs : [])];
  return once(found.length > 0 || isLibrary ? found : firstLines(tree, SCRIPTS, names)).slice(0, FOUND_MAX);
}

/** A place is named once, by the first rule that finds it. */
function once(facts: readonly ProjectFact[]): ProjectFact[] {
  const named = new Set<string>();
  return facts.filter(({ path, startLine }) => {
    const place = `${path}:${startLine}`;
    return !named.has(place) && named.add(place);
  });
}

/** From this distance on a file is a test, an example, a script or a tool. */
export const ASIDE_DISTANCE = 1_000;

/**
 * How far a file is from being the start of its project's own program: those that are called as the project or `main`
 * come first, build scripts last, the least nested before others.
 */
export function entryDistance(path: string, names: readonly string[]): number {
  const stem = /([^/]*?)(?:\.\w+)?$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (/(?:^|\/)(?:build\.rs|setup\.py|conftest\.py)$/.test(path) || ASIDE.test(path)) return ASIDE_DISTANCE;
  return path.split('/').length - (names.includes(stem) ? 20 : /^(?:main|cli|__main__|index|app)$/.test(stem) ? 10 : 0);
}

/** Returns the lines that match in files of the project itself, the nearest to its start first. */
function firstLines(
  tree: ProjectTree,
  patterns: readonly (readonly [RegExp, RegExp])[],
  names: readonly string[],
): ProjectFact[] {
  return tree.paths
    .filter((path) => !ASIDE.test(path))
    .sort((a, b) => entryDistance(a, names) - entryDistance(b, names) || (a < b ? -1 : 1))
    .flatMap((path) => {
      const lines = patterns.flatMap(([ending, line]) => (ending.test(path) ? [line] : []));
      const found = isLeftOut(tree, path) ? undefined : firstOf(lines, (line) => findLine(tree, path, line));
      return found ? [toFact(`The program starts in \`${path}\``, path, found.line)] : [];
    });
}

function firstOf<One, Found>(all: readonly One[], find: (one: One) => Found | undefined): Found | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a Go file is a script of its own, which a build leaves out. */
const isLeftOut = (tree: ProjectTree, path: string) =>
  path.endsWith('.go') && findLine(tree, path, /^\/\/\s*(?:go:build|\+build)\s+ignore\b/) !== undefined;

/** Returns the executable scripts that are called as the project is. */
function executables(tree: ProjectTree, names: readonly string[]): ProjectFact[] {
  return tree.paths.flatMap((path) => {
    const name = /^(?:bin\/|exe\/|scripts?\/|src\/)?([\w-]+?)(?:\.(?:sh|bash|pl|py|rb|php))?$/.exec(path)?.[1];
    const found = name !== undefined && names.includes(name) ? findLine(tree, path, /^#!/) : undefined;
    const what = /^(?:bin|exe)\//.test(path) ? 'Its command' : 'The program';
    return found ? [toFact(`${what} starts in \`${path}\``, path, found.line), ...findLoadedFile(tree, path)] : [];
  });
}

/** How a README shows what to begin with, in the languages of most libraries. The name is in one of the groups. */
const USAGE = pattern`
    \bnew \\?(?:\w+\\)*([A-Z]\w{2,60})\b
    |^\s*use [\w\\]*\\(\w{2,60});
    |\bfrom [\w.]+ import (\w{2,60})
    |\b([A-Z]\w{2,60})\.new\b
    |\{@link (?:[\w.]+\.)?([A-Z]\w{2,60})
    |\b([A-Z]\w{2,60}) \w+ = |\b([A-Z]\w{2,60})\.[a-z]\w*\(
    |#include\s*[<"](?:[\w.-]+\/)*([\w-]{2,60})\.h
  `;
const USAGE_LINES_MAX = 400;

/** Pages that show how a library is used, the README first; of a package in Java its description. */
const GUIDE = patternWith('i')`
    ^readme(?:\.(?:md|mkd|markdown|rst|adoc|txt))?$
    |^docs?\/(?:[\w-]+\/)?(?:readme|index|intro\w*|api|usage|guide|tutorial|quick[_-]?start|getting[_-]?started
      |overview|manual)\.\w+$
    |^(?:[\w-]+\/)?src\/main\/java\/.*\/package-info\.java$
    |^src\/site\/.*\/(?:index|user-?guide)\.\w+$
  `;
const byDepth = (a: string, b: string) =>
  Number(/^docs?\//i.test(a)) - Number(/^docs?\//i.test(b)) ||
  a.split('/').length - b.split('/').length ||
  (a < b ? -1 : 1);

/** Returns the definitions of what the README's first examples use, where a file is called as it is. */
function shownFirst(tree: ProjectTree): ProjectFact[] {
  for (const page of tree.paths.filter((path) => GUIDE.test(path)).sort(byDepth)) {
    const found = shownIn(tree, page);
    if (found.length > 0) return found;
  }
  return [];
}

function shownIn(tree: ProjectTree, page: string): ProjectFact[] {
  const names = (tree.linesOf(page) ?? []).slice(0, USAGE_LINES_MAX).flatMap((line) =>
    line.length > 300
      ? []
      : (USAGE.exec(line)
          ?.slice(1)
          .find((name) => name !== undefined) ?? []),
  );
  return [...new Set(names)].slice(0, FOUND_MAX).flatMap((name) => {
    const path = tree.paths.find(
      (one) => new RegExp(`(?:^|/)${name}\\.(?:php|java|kt|rb|py|cs|h|hpp|ts|js|swift)$`).test(one) && !ASIDE.test(one),
    );
    const defined =
      path && findLine(tree, path, new RegExp(`\\b(?:class|interface|struct|module|trait|def|function)\\s+${name}\\b`));
    return path ? [toFact(`A user starts with \`${name}\`, in \`${path}\``, path, defined ? defined.line : 1)] : [];
  });
}

/** Where the code of a file begins, after its comments and imports. */
const DEFINES = pattern`
    ^(?:export |public |pub |abstract |final |static |async )*(?:class|interface|module|def|function|func|fn
      |struct|package|namespace|const|module\.exports)\b
  `;
const SOURCE = /\.(?:[cm]?[jt]s|py|rb|go|rs|java|kt|php|cs|c|cc|cpp|h|hpp|swift)$/;

/** Returns the source that is called as the project is, the least nested. */
function findNamesakes(tree: ProjectTree, names: readonly string[]): ProjectFact[] {
  const stem = (path: string) => /([^/]*)\.\w+$/.exec(path)?.[1]?.toLowerCase() ?? '';
  // What the user of a library in C includes is its header.
  const isHeader = (one: string) => Number(/\.h(?:h|pp|xx)?$/.test(one));
  const path = tree.paths
    .filter((one) => SOURCE.test(one) && names.includes(stem(one)) && entryDistance(one, names) < 0)
    .sort(
      (a, b) => entryDistance(a, names) - entryDistance(b, names) || isHeader(b) - isHeader(a) || (a < b ? -1 : 1),
    )[0];
  const start = path === undefined ? undefined : findLine(tree, path, DEFINES);
  return path === undefined ? [] : [toFact(`The entry point is \`${path}\``, path, start?.line ?? 1)];
}

function libraries(tree: ProjectTree, names: readonly string[]): ProjectFact[] {
  const files = CONVENTIONS.flatMap(([place, pattern]) => {
    const path = tree.paths.filter((one) => place.test(one) && !ASIDE.test(one)).sort(byWeight)[0];
    const found = path === undefined ? undefined : findLine(tree, path, pattern);
    return path !== undefined && found ? [toFact(`The entry point is \`${path}\``, path, found.line)] : [];
  });
  const module = findLine(tree, 'go.mod', /^module\s+"?([^\s"]{1,300})/);
  const imported = module ? [toFact(`It is imported as \`${module.value}\``, 'go.mod', module.line)] : [];
  const all = [...findNamesakes(tree, names), ...shownFirst(tree), ...files, ...imported];
  return all.filter(({ path }, at) => all.findIndex((other) => other.path === path) === at);
}

/** A library's own file is called as its folder, or lies highest. */
function byWeight(a: string, b: string): number {
  const isSame = (path: string) => {
    const [name = '', folder] = path
      .replace(/\.\w+$/, '')
      .split('/')
      .reverse();
    return Number(name === folder);
  };
  return isSame(b) - isSame(a) || a.split('/').length - b.split('/').length || (a < b ? -1 : 1);
}
