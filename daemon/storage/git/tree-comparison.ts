import type { GitRepository } from './git-repository.js';

/** Larger files are compared as binary ones. */
const TEXT_MAX = '8m';
const TIMEOUT_MS = 60_000;
/** Comparing never runs a program of the repository, and never reads more than that of one file as text. */
const COMPARE = ['-c', `core.bigFileThreshold=${TEXT_MAX}`, 'diff-tree', '--no-ext-diff', '--no-textconv', '-r'];
const SUBMODULE = '160000';

/** A file that differs between two trees. */
export interface TreeChange {
  path: string;
  /** Where it was, when it was renamed. */
  oldPath: string | null;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
  additions: number;
  deletions: number;
  isBinary: boolean;
  isSubmodule: boolean;
}

const STATUSES: Readonly<Record<string, TreeChange['status']>> = { A: 'added', D: 'deleted', R: 'renamed' };

/**
 * Compares two trees below the repository's folder, in the order of paths. With `renames`, a file that moved is one
 * change. Throws `internal`.
 */
export async function compareTrees(
  repository: GitRepository,
  from: string,
  to: string,
  { renames }: { renames: boolean },
): Promise<TreeChange[]> {
  if (from === to) return [];
  const args = ['--relative', renames ? '-M' : '--no-renames', '--raw', '--numstat', '-z', from, to];
  const changes = parseComparison(await repository.output([...COMPARE, ...args], { timeoutMs: TIMEOUT_MS }));
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the patch of one changed file from its first `@@`; empty for a binary one. Throws `internal`. */
export async function comparePatch(
  repository: GitRepository,
  from: string,
  to: string,
  { path, oldPath }: Pick<TreeChange, 'path' | 'oldPath'>,
  { context, ignoresWhitespace }: { context: number; ignoresWhitespace: boolean },
): Promise<string> {
  const paths = [oldPath ?? path, path];
  const how = ['--relative', '-M', '-p', `-U${context}`, ...(ignoresWhitespace ? ['-w'] : [])];
  const output = await repository.output([...COMPARE, ...how, from, to, '--', ...paths], { timeoutMs: TIMEOUT_MS });
  // A change of the file's type is reported as a deletion and a creation: both have hunks.
  const start = /^@@ /m.exec(output)?.index;
  return start === undefined ? '' : output.slice(start);
}

/**
 * Parses `--raw --numstat -z`. First come entries ":<modes> <ids> <status>" with one path, or two of a rename, then in
 * the same order "<additions>\t<deletions>\t<path>", where a rename's paths follow in parts of their own.
 */
function parseComparison(output: string): TreeChange[] {
  const parts = output.split('\0');
  const heads: Omit<TreeChange, 'additions' | 'deletions' | 'isBinary'>[] = [];
  let at = 0;
  const next = () => parts[at++] as string;
  while ((parts[at] as string).startsWith(':')) {
    const [oldMode, mode, , , status] = next().slice(1).split(' ') as [string, string, string, string, string];
    const oldPath = status.startsWith('R') ? next() : null;
    heads.push({
      path: next(),
      oldPath,
      status: STATUSES[status.charAt(0)] ?? 'modified',
      isSubmodule: oldMode === SUBMODULE || mode === SUBMODULE,
    });
  }
  return heads.map((head) => {
    const [additions, deletions] = next().split('\t') as [string, string];
    if (head.oldPath !== null) at += 2;
    return {
      ...head,
      additions: Number(additions) || 0,
      deletions: Number(deletions) || 0,
      isBinary: additions === '-',
    };
  });
}
