import { dirname, join } from 'node:path';

const SOURCE = /\.(?:ts|tsx|mjs|md|sql)$/;
const TEST = /\.test\.tsx?$/;
const IMPORT = /(?:from\s+|import\s*\(?\s*)'(\.{1,2}\/[^']+)'/g;

/** A test file that concerns changed files. */
interface Concerned {
  file: string;
  /**
   * 0: it was changed itself; 1: it stands beside a changed file with its name or imports one; 2: it is in its folder.
   */
  distance: number;
}

/** Returns the files, without their endings, that the text of `file` imports from this project. */
function listImports(file: string, text: string): Set<string> {
  return new Set([...text.matchAll(IMPORT)].map(([, path]) => withoutEnding(join(dirname(file), path ?? ''))));
}

const withoutEnding = (path: string) => path.replace(/\.(?:js|mjs|ts|tsx)$/, '');
const getTestedName = (path: string) => path.replace(/(?:\.test)?\.tsx?$/, '');

/**
 * Returns the test files among `tests` that concern the changed files, nearest first. Paths are relative to the
 * project; `read` returns the text of a file.
 */
export function findConcerned(
  changed: readonly string[],
  tests: readonly string[],
  read: (file: string) => string,
): Concerned[] {
  const sources = changed.filter((file) => SOURCE.test(file) && !TEST.test(file));
  const [names, folders] = [new Set(sources.map(getTestedName)), new Set(sources.map((file) => dirname(file)))];
  const getDistance = (file: string): number | undefined => {
    if (changed.includes(file)) return 0;
    if (names.has(getTestedName(file)) || [...listImports(file, read(file))].some((path) => names.has(path))) return 1;
    return folders.has(dirname(file)) ? 2 : undefined;
  };
  return tests
    .flatMap((file) => {
      const distance = getDistance(file);
      return distance === undefined ? [] : [{ file, distance }];
    })
    .sort((a, b) => a.distance - b.distance || a.file.localeCompare(b.file));
}

/**
 * Returns as many of `concerned` as fit in `seconds` by what each took in the last run, nearest first. A file without a
 * known duration counts as `unknownSeconds`. Changed tests are always among them.
 */
export function fitInto(
  concerned: readonly Concerned[],
  durations: ReadonlyMap<string, number>,
  { seconds, unknownSeconds = 1 }: { seconds: number; unknownSeconds?: number },
): { taken: string[]; left: string[] } {
  const taken: string[] = [];
  const left: string[] = [];
  let sum = 0;
  for (const { file, distance } of concerned) {
    const own = durations.get(file) ?? unknownSeconds;
    const isTaken = distance === 0 || sum + own <= seconds;
    if (isTaken) sum += own;
    (isTaken ? taken : left).push(file);
  }
  return { taken, left };
}
