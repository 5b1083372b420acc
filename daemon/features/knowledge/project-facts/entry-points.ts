import { findLine, type ProjectFact, type ProjectTree } from './project-fact.js';

/** Files that hold a program's first function, by ending. */
const MAINS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.go$/, /^func main\(\)/],
  [/\.rs$/, /^(?:pub\s+)?(?:async\s+)?fn main\(/],
  [/\.(?:c|cc|cpp|cxx)$/, /^(?:extern\s+"C"\s+)?(?:int|void)\s+(?:\w+\s+)?w?main\s*\(/],
  [/\.java$/, /public\s+static\s+void\s+main\s*\(/],
  [/\.kt$/, /^fun main\(/],
  [/\.cs$/, /static\s+(?:async\s+)?(?:void|int|Task)\s+Main\s*\(/],
  [/\.py$/, /^if __name__ == ['"]__main__['"]/],
];
const ASIDE =
  /(?:^|\/)(?:tests?|examples?|benchmarks?|bench|fuzz|docs?|samples?|deps|vendor|third_party|scripts|tools)\//i;
const FOUND_MAX = 5;
const FIELDS: readonly (readonly [string, RegExp, (value: string) => string])[] = [
  ['package.json', /^\s*"main"\s*:\s*"([^"]{1,200})"/, (value) => `The entry point is \`${value}\``],
  ['package.json', /^\s*"module"\s*:\s*"([^"]{1,200})"/, (value) => `The entry point of its modules is \`${value}\``],
  ['package.json', /^\s*"bin"\s*:\s*"([^"]{1,200})"/, (value) => `Its command starts in \`${value}\``],
];
const CONVENTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^src\/lib\.rs$/, /\S/],
  [/^(?:src\/)?[\w-]+\/__main__\.py$/, /\S/],
  [/^(?:src\/)?[\w-]+\/__init__\.py$/, /\S/],
  [/^(?:src\/)?index\.[jt]sx?$/, /\S/],
];

/** Returns where the project starts: what its manifests name, then its `main` functions, then where its language begins. */
export function findEntryPoints(tree: ProjectTree): ProjectFact[] {
  const at = (sentence: string, path: string, line: number) => ({ sentence, path, startLine: line, endLine: line });
  const named = FIELDS.flatMap(([path, pattern, say]) => {
    const found = findLine(tree, path, pattern);
    return found ? [at(say(found.value), path, found.line)] : [];
  });
  const mains = tree.paths
    .filter((path) => !ASIDE.test(path))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .flatMap((path) => {
      const pattern = MAINS.find(([ending]) => ending.test(path))?.[1];
      const found = pattern && findLine(tree, path, pattern);
      return found ? [at(`The program starts in \`${path}\``, path, found.line)] : [];
    });
  const usual = CONVENTIONS.flatMap(([place, pattern]) =>
    tree.paths
      .filter((path) => place.test(path))
      .slice(0, 1)
      .flatMap((path) => {
        const found = findLine(tree, path, pattern);
        return found ? [at(`The entry point is \`${path}\``, path, found.line)] : [];
      }),
  );
  return [...named, ...mains, ...usual].slice(0, FOUND_MAX);
}
