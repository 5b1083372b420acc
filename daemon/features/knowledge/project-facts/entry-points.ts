import { findLine, type ProjectFact, type ProjectTree } from './project-fact.js';

/** Files that hold a program's first function, by ending. */
const MAINS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.go$/, /^func main\(\)/],
  [/\.rs$/, /^(?:pub\s+)?(?:async\s+)?fn main\(/],
  [/\.(?:c|cc|cpp|cxx)$/, /^(?:extern\s+"C"\s+)?(?:int|void)\s+(?:\w+\s+)?w?main\s*\(/],
  [/\.java$/, /public\s+static\s+void\s+main\s*\(/],
  [/\.kt$/, /^fun main\(/],
  [/\.cs$/, /static\s+(?:async\s+)?(?:void|int|Task)\s+Main\s*\(/],
  [/(?:^|\/)__main__\.py$/, /\S/],
];
/** Scripts that run when they are called by name: where a project starts only when nothing else tells. */
const SCRIPTS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.py$/, /^if __name__ == ['"]__main__['"]/],
  [/(?:\.(?:sh|bash|pl|rb|py)|\/bin\/[\w-]+)$/, /^#!/],
];
const ASIDE =
  /(?:^|\/)(?:tests?|spec|examples?|benchmarks?|bench|fuzz(?:ing)?|docs?|samples?|demos?|deps|vendor|third[_-]party|extern(?:al)?|scripts|tools|contrib|ci|build-aux)\//i;
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

const toFact = (sentence: string, path: string, line: number): ProjectFact => ({
  sentence,
  path,
  startLine: line,
  endLine: line,
});

/**
 * Returns where the project starts: what its manifests name, then its `main` functions, then where a library of its
 * language begins, then what is imported by a module's name, and scripts when there is nothing else.
 */
export function findEntryPoints(tree: ProjectTree): ProjectFact[] {
  const named = FIELDS.flatMap(([path, pattern, say]) => {
    const found = findLine(tree, path, pattern);
    return found ? [toFact(say(found.value), path, found.line)] : [];
  });
  const found = [...named, ...firstLines(tree, MAINS, 'The program starts in'), ...libraries(tree)];
  return (found.length > 0 ? found : firstLines(tree, SCRIPTS, 'The program starts in')).slice(0, FOUND_MAX);
}

/** Returns the lines that match in files of the project itself, the least nested and those called `main` first. */
function firstLines(
  tree: ProjectTree,
  patterns: readonly (readonly [RegExp, RegExp])[],
  sentence: string,
): ProjectFact[] {
  const depth = (path: string) => path.split('/').length - Number(/(?:^|\/)(?:main|cli|__main__)\.\w+$/.test(path));
  return tree.paths
    .filter((path) => !ASIDE.test(path))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
    .flatMap((path) => {
      const pattern = patterns.find(([ending]) => ending.test(path))?.[1];
      const found = pattern && findLine(tree, path, pattern);
      return found ? [toFact(`${sentence} \`${path}\``, path, found.line)] : [];
    });
}

function libraries(tree: ProjectTree): ProjectFact[] {
  const files = CONVENTIONS.flatMap(([place, pattern]) => {
    const path = tree.paths.filter((one) => place.test(one) && !ASIDE.test(one)).sort(byWeight)[0];
    const found = path === undefined ? undefined : findLine(tree, path, pattern);
    return path !== undefined && found ? [toFact(`The entry point is \`${path}\``, path, found.line)] : [];
  });
  const module = findLine(tree, 'go.mod', /^module\s+"?([^\s"]{1,300})/);
  return module
    ? [...files, toFact(`It is a library that is imported as \`${module.value}\``, 'go.mod', module.line)]
    : files;
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
