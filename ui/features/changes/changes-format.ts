import type { ChangedFile, Checkpoint } from '../../../daemon/contract/work/changes.js';
import type { ReviewComment } from '../../../daemon/contract/work/reviews.js';
import type { Range } from './changes-queries.js';
import { CHANGES_BASE, WORKING_FILES } from './limits.js';

export const countWords = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;

/** `3 files +40 −2`. */
export function formatCounts({ files, additions, deletions }: Record<'files' | 'additions' | 'deletions', number>) {
  return `${countWords(files, 'file')} ${formatLines({ additions, deletions })}`;
}

/** `+40 −2`. */
export const formatLines = ({ additions, deletions }: Record<'additions' | 'deletions', number>): string =>
  `+${additions.toLocaleString('en-GB')} −${deletions.toLocaleString('en-GB')}`;

const clock = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

const KINDS: Readonly<Record<string, string>> = {
  rewind: 'Before a rewind',
  revert: 'Before a revert',
  merge: 'Before a merge',
  outside: 'Changed by others',
};

/** Returns a checkpoint's name: `Turn 2, 14 May, 14:02`. Turns are counted among those that changed files. */
export function formatCheckpoint(checkpoint: Checkpoint, all: readonly Checkpoint[]): string {
  const at = clock.format(Date.parse(checkpoint.created_at));
  if (checkpoint.kind === 'start') return 'Start of the conversation';
  if (checkpoint.kind !== 'turn') return `${KINDS[checkpoint.kind]}, ${at}`;
  const turns = all.filter(({ kind }) => kind === 'turn');
  return `Turn ${turns.findIndex((one) => one.checkpoint === checkpoint.checkpoint) + 1}, ${at}`;
}

/** Returns the range of what one checkpoint changed: from the one before it. */
export function getRange(checkpoint: Checkpoint, all: readonly Checkpoint[]): Range {
  const at = all.findIndex((one) => one.checkpoint === checkpoint.checkpoint);
  return { from: all[at - 1]?.checkpoint, to: checkpoint.checkpoint };
}

export const isSameRange = (a: Range, b: Range): boolean =>
  (a.from ?? CHANGES_BASE) === (b.from ?? CHANGES_BASE) && (a.to ?? WORKING_FILES) === (b.to ?? WORKING_FILES);

/** Whether the range ends with the files as they are now, which is the only state that can be reverted. */
export const endsWithWorkingFiles = ({ to }: Range): boolean => to === undefined || to === WORKING_FILES;

export const STATUS_WORDS = {
  added: 'added',
  modified: 'modified',
  deleted: 'deleted',
  renamed: 'renamed',
} as const satisfies Record<ChangedFile['status'], string>;

export const STATUS_LETTERS = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const;

/** `lines 3 to 5`, `line 3 before the change` or `the whole file`. */
export function formatPlace({ side, start_line, end_line }: Pick<ReviewComment, 'side' | 'start_line' | 'end_line'>) {
  if (side === null || start_line === null) return 'the whole file';
  const last = end_line ?? start_line;
  const lines = last === start_line ? `line ${start_line}` : `lines ${start_line} to ${last}`;
  return side === 'old' ? `${lines} before the change` : lines;
}
