/**
 * The command whose output `parseStatus` reads. It looks for no renames, and not at what the branch follows. The files
 * of repositories below are not looked at, because that would be done by their own settings.
 */
export const STATUS: readonly string[] = [
  ...['status', '--porcelain=v2', '-z', '--branch', '--no-ahead-behind', '--no-renames'],
  '--ignore-submodules=dirty',
];

/** The number of fields before the path, by the kind of the entry. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };
const DETACHED = '(detached)';
const INITIAL = '(initial)';

interface GitStatus {
  /** Null before the first commit. */
  commit: string | null;
  /** Without `refs/heads/`; null when HEAD is detached. */
  branch: string | null;
  /** What differs from the commit. Paths are from the top of the working tree. */
  changes: { path: string; isUnmerged: boolean }[];
}

/** Parses the output of `STATUS`. */
export function parseStatus(output: string): GitStatus {
  const status: GitStatus = { commit: null, branch: null, changes: [] };
  for (const entry of output.split('\0')) {
    const [kind, ...fields] = entry.split(' ') as [string, ...string[]];
    const [name, value] = fields as [string, string];
    if (kind === '#' && name === 'branch.oid') status.commit = value === INITIAL ? null : value;
    else if (kind === '#' && name === 'branch.head') status.branch = value === DETACHED ? null : value;
    const before = FIELDS[kind];
    if (before !== undefined)
      status.changes.push({ path: fields.slice(before - 1).join(' '), isUnmerged: kind === 'u' });
  }
  return status;
}
