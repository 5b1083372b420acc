import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { BlameLines, FileBlame } from '../../../daemon/contract/code.js';
import type { FileLines } from '../../../daemon/contract/system.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { call, query } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './blame.module.css';

/** What is said instead of commits. */
const WITHOUT: Readonly<Record<Exclude<FileBlame['state'], 'blamed'>, string>> = {
  no_repository: 'This project is not in a git repository.',
  not_in_head: 'No commit contains this file yet.',
  unavailable: 'Git could not tell who changed this file, or took longer than 10 s.',
};

/** Reads who last changed the shown lines, as soon as `isOn`. It is read again when the lines change. */
export function useBlame(file: FileLines | undefined, isOn: boolean): UseQueryResult<FileBlame> {
  const { path = '', start_line: from, end_line: to, sha256 } = file ?? {};
  const blame = useQuery({
    queryKey: ['file', 'blame', path, from, to, sha256],
    queryFn: ({ signal }) => call<FileBlame>(`/project/blame${query({ path, from, to })}`, { signal }),
    enabled: isOn && file !== undefined,
    staleTime: 0,
  });
  return isOn ? blame : ({ ...blame, data: undefined } as UseQueryResult<FileBlame>);
}

/** Says that the commits are being read, or why there are none. */
export function BlameNote({ blame }: { blame: UseQueryResult<FileBlame> }) {
  const { data, error } = blame;
  const words = error
    ? `Who changed this could not be read. ${error.message}`
    : data === undefined
      ? 'Reading who changed this…'
      : data.state === 'blamed'
        ? ''
        : WITHOUT[data.state];
  return (
    <p role="status" className={words === '' ? undefined : `${styles.note} quiet small`}>
      {words}
    </p>
  );
}

/** The commit of a block of lines, above its first one. */
export function BlameHead({ blame, block }: { blame: FileBlame; block: BlameLines }) {
  const commit = blame.commits.find(({ hash }) => hash === block.commit);
  return (
    <p className={styles.head} data-blame="">
      {commit === undefined ? (
        block.is_unknown ? (
          'unknown: the clone is shallow'
        ) : (
          'not committed'
        )
      ) : (
        <>
          <span>{toDisplayText(commit.author)}</span> <ExactAgo at={commit.at} />{' '}
          <span className={styles.subject}>{toDisplayText(commit.subject)}</span>
        </>
      )}
    </p>
  );
}
