import type { MergePreview } from '../../contract/work/reviews.js';
import { zeroSeparated } from '../../storage/git/git-output.js';
import type { GitRepository } from '../../storage/git/git-repository.js';
import { PATCH_OPTIONS } from './patch.js';

const OTHERS_MAX = 10;
const PATHS_MAX = 20;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+/gm;

/** What another conversation's worktree holds, as a commit or tree. */
export interface OtherWork {
  conv: string;
  title: string;
  /** The commit at its HEAD. */
  head: string;
  tree: string;
}

type Range = readonly [start: number, end: number];

/** The lines of the base that a change of one file replaces; an insertion counts as the line before it. */
async function changedLines(repository: GitRepository, from: string, to: string, path: string): Promise<Range[]> {
  const args = ['diff', ...PATCH_OPTIONS, '-U0', from, to, '--', path];
  const patch = await repository.output(args);
  return [...patch.matchAll(HUNK)].map(([, start = '0', count = '1']): Range => {
    const first = Number(start);
    return [first, first + Math.max(1, Number(count)) - 1];
  });
}

const meet = (some: readonly Range[], others: readonly Range[]) =>
  some.some(([start, end]) => others.some(([from, to]) => start <= to && from <= end));

const names = async (repository: GitRepository, from: string, to: string): Promise<string[]> =>
  zeroSeparated(await repository.output(['diff', '--name-only', '--no-renames', '-z', from, to]));

/**
 * Finds the worktrees that changed the same lines as `tip` since the commit that both began with. Looks at no more than
 * ten others, and at twenty files of each.
 */
export async function findOverlaps(
  repository: GitRepository,
  tip: string,
  others: readonly OtherWork[],
): Promise<MergePreview['overlaps']> {
  const found: MergePreview['overlaps'] = [];
  for (const { conv, title, head, tree } of others.slice(0, OTHERS_MAX)) {
    const base = (await repository.run(['merge-base', tip, head])).stdout.trim();
    if (base === '') continue;
    const theirs = new Set(await names(repository, base, tree));
    const shared = (await names(repository, base, tip)).filter((path) => theirs.has(path));
    const paths: string[] = [];
    for (const path of shared.slice(0, PATHS_MAX)) {
      const [own, other] = [
        await changedLines(repository, base, tip, path),
        await changedLines(repository, base, tree, path),
      ];
      // Without lines, as for binary files, the whole file is what both changed.
      if (own.length === 0 || other.length === 0 || meet(own, other)) paths.push(path);
    }
    if (paths.length > 0) found.push({ conv, title, paths });
  }
  return found;
}
