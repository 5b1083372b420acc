import { execFileSync } from 'node:child_process';

/** A program that searches a folder without an index. */
export interface SearchPeer {
  name: string;
  /** The command to install it, for the note that it is absent. */
  package: string;
  program: string;
  /** Returns its arguments to search the working folder for lines with any of `words`. */
  listArguments(words: readonly string[]): string[];
}

/** What a person would search a repository with. */
export const SEARCH_PEERS: readonly SearchPeer[] = [
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
export function isInstalled({ program }: SearchPeer): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Searches `root` once and returns the milliseconds that it took. */
export function timeSearch(peer: SearchPeer, root: string, words: readonly string[]): number {
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
