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
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Returns the patch of one changed file from its first `@@`; empty for a binary one. Throws `internal`. */
export async function comparePatch(
  repository: GitRepository,
  from: string,
  to: string,
  { path, oldPath }: Pick<TreeChange, 'path' | 'oldPath'>,
  { context, ignoresWhitespace }: { context: number; ignoresWhitespace: boolean },
): Promise<string> {
  const paths = oldPath === null ? [path] : [oldPath, path];
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
  const changes: TreeChange[] = [];
  let at = 0;
  while (parts[at]?.startsWith(':')) {
    const [oldMode = '', mode = '', , , status = ''] = (parts[at] ?? '').slice(1).split(' ');
    const isRenamed = status.startsWith('R');
    changes.push({
      path: parts[at + (isRenamed ? 2 : 1)] ?? '',
      oldPath: isRenamed ? (parts[at + 1] ?? '') : null,
      status: STATUSES[status.charAt(0)] ?? 'modified',
      ...{ additions: 0, deletions: 0, isBinary: false },
      isSubmodule: oldMode === SUBMODULE || mode === SUBMODULE,
    });
    at += isRenamed ? 3 : 2;
  }
  for (const change of changes) {
    const [additions = '', deletions = ''] = (parts[at] ?? '').split('\t');
    change.isBinary = additions === '-';
    change.additions = Number(additions) || 0;
    change.deletions = Number(deletions) || 0;
    at += change.oldPath === null ? 1 : 3;
  }
  return changes;
}
