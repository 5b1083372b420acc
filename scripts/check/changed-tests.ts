import { dirname, join } from 'node:path';

const SOURCE = /\.(?:ts|tsx|mjs|md|sql)$/;
const TEST = /\.test\.tsx?$/;
const IMPORT = /(?:from\s+|import\s*\(?\s*)'(\.{1,2}\/[^']+)'/g;

/** A test file that concerns changed files. */
interface Concerned {
  file: string;
  /**
   * 0: it was changed itself; 1: it stands beside a changed file with its name or imports one; otherwise the number of
   * imports between them, with 2 for a test in the folder of a changed file.
   */
  distance: number;
}

/** Returns the files, without their endings, that the text of `file` imports from this project. */
function listImports(file: string, text: string): Set<string> {
  return new Set([...text.matchAll(IMPORT)].map(([, path]) => withoutEnding(join(dirname(file), path ?? ''))));
}

const withoutEnding = (path: string) => path.replace(/\.(?:js|mjs|ts|tsx)$/, '');
const getTestedName = (path: string) => path.replace(/(?:\.test)?\.tsx?$/, '');

/** Returns the number of imports between each file that needs one of `sources` and the nearest of them. */
function measureDistances(
  sources: readonly string[],
  files: readonly string[],
  read: (file: string) => string,
): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const path of listImports(file, read(file))) {
      const known = importers.get(path);
      if (known) known.push(file);
      else importers.set(path, [file]);
    }
  const distances = new Map(sources.map((file) => [file, 0]));
  // A map is read in the order of insertion, so the nearest files come first.
  for (const [file, distance] of distances)
    for (const importer of importers.get(withoutEnding(file)) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}

/**
 * Returns the test files among `files` that concern the changed files, nearest first. Paths are relative to the
 * project; `read` returns the text of a file.
 */
export function findConcerned(
  changed: readonly string[],
  files: readonly string[],
  read: (file: string) => string,
): Concerned[] {
  const sources = changed.filter((file) => SOURCE.test(file) && !TEST.test(file));
  const [names, folders] = [new Set(sources.map(getTestedName)), new Set(sources.map((file) => dirname(file)))];
  const distances = measureDistances(sources, files, read);
  const getDistance = (file: string): number => {
    if (changed.includes(file)) return 0;
    if (names.has(getTestedName(file))) return 1;
    return Math.min(distances.get(file) ?? Infinity, folders.has(dirname(file)) ? 2 : Infinity);
  };
  return files
    .filter((file) => TEST.test(file))
    .map((file) => ({ file, distance: getDistance(file) }))
    .filter(({ distance }) => distance < Infinity)
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
