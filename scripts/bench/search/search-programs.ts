import { execFileSync } from 'node:child_process';
import { type Measure, median, rounded } from '../measure.js';

/** A program that searches a folder without an index. */
interface SearchPeer {
  name: string;
  /** The command to install it, for the note that it is absent. */
  package: string;
  program: string;
  /** Returns its arguments to search the working folder for lines with any of `words`. */
  listArguments(words: readonly string[]): string[];
}

/** What a person would search a repository with. */
const SEARCH_PEERS: readonly SearchPeer[] = [
  {
    name: 'ripgrep',
    package: 'ripgrep',
    program: 'rg',
    listArguments: (words) => ['-n', '-i', '-F', ...words.flatMap((word) => ['-e', word]), '.'],
  },
  {
    name: 'git grep',
    package: 'git',
    program: 'git',
    listArguments: (words) => ['grep', '-n', '-I', '-i', '-F', ...words.flatMap((word) => ['-e', word])],
  },
];

/** Whether the program is there. */
function isInstalled({ program }: SearchPeer): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Searches `root` once and returns the milliseconds that it took. */
function timeSearch(peer: SearchPeer, root: string, words: readonly string[]): number {
  const startedMs = performance.now();
  try {
    execFileSync(peer.program, peer.listArguments(words), {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 29,
    });
  } catch (error) {
    // 1 says that nothing matched.
    if ((error as { status?: number }).status !== 1) throw error;
  }
  return performance.now() - startedMs;
}

/** The times of some searches by one program; none when it is not installed. */
export interface Searched {
  name: string;
  times: readonly number[];
}

/** Searches `root` with every program for each of `searches`, and says on standard error which is not installed. */
export function searchWithAll(root: string, searches: readonly (readonly string[])[]): Searched[] {
  return SEARCH_PEERS.map((peer) => {
    const isThere = isInstalled(peer);
    if (!isThere) console.error(`${peer.name}: absent, not measured (apt-get install ${peer.package}).`);
    return { name: peer.name, times: isThere ? searches.map((words) => timeSearch(peer, root, words)) : [] };
  });
}

/**
 * Returns `row` once beside each program, whose value `of` makes from the milliseconds of its median search. For a
 * program that is not installed the row says so.
 */
export function putBeside<Row extends Pick<Measure, 'measure' | 'ours'>>(
  row: Row,
  searched: readonly Searched[],
  of: (ms: number) => number,
): (Row & Partial<Pick<Measure, 'peer' | 'ratio'>>)[] {
  return searched.map(({ name, times }) => {
    if (times.length === 0) return { ...row, measure: `${row.measure} (${name} is not installed)` };
    const value = of(median(times));
    return {
      ...row,
      peer: { name: `one search by ${name}`, value: rounded(value) },
      ratio: rounded(row.ours / value, 2),
    };
  });
}
