import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the hashes of the commits at which a shallow clone ends, read from the git folder that all worktrees share;
 * none of a whole clone. Git shows such a commit as if it added every file.
 */
export function readShallowCommits(commonFolder: string): ReadonlySet<string> {
  try {
    return new Set(readFileSync(join(commonFolder, 'shallow'), 'utf8').split('\n').filter(Boolean));
  } catch {
    return new Set();
  }
}
