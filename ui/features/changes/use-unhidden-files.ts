import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { ChangedFile, FileDiff } from '../../../daemon/contract/work/changes.js';
import { fileDiffQuery } from './changes-queries.js';
import type { ComparisonLook } from './diff/file-body.js';
import { digestCounts, isSameChange, type useViewedFiles } from './viewed-files.js';

type Digests = ReturnType<typeof useViewedFiles>['digests'];

const NONE: readonly ChangedFile[] = [];

/**
 * Returns the files without those that are marked as viewed, or all of them while `hidesViewed` is false. Marked files
 * are loaded, because a mark belongs to one version of a file's change: a file that has changed since is returned.
 */
export function useUnhiddenFiles(
  conv: string,
  { range, spaces }: ComparisonLook,
  files: readonly ChangedFile[],
  digests: Digests,
  hidesViewed: boolean,
): readonly ChangedFile[] {
  const marked = useMemo(
    () => (hidesViewed ? files.filter(({ path }) => digests[path] !== undefined) : NONE),
    [files, digests, hidesViewed],
  );
  const combine = useCallback(
    (diffs: UseQueryResult<FileDiff>[]) =>
      marked
        .filter((file, at) => {
          const { data, isError } = diffs[at] ?? {};
          return !isError && isSameChange(digests[file.path] ?? '', file, data?.patch);
        })
        .map(({ path }) => path),
    [marked, digests],
  );
  const hidden = useQueries({
    queries: marked.map((file) => ({
      ...fileDiffQuery(conv, range, file.path, spaces),
      enabled: digests[file.path] !== digestCounts(file),
    })),
    combine,
  });
  return useMemo(() => {
    const paths = new Set(hidden);
    return paths.size === 0 ? files : files.filter(({ path }) => !paths.has(path));
  }, [files, hidden]);
}
