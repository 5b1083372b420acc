import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import type { ChangedFile, FileDiff } from '../../../../daemon/contract/work/changes.js';
import type { ReviewComment } from '../../../../daemon/contract/work/reviews.js';
import { Loaded } from '../../../components/loaded.js';
import { useToast } from '../../../components/toasts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatPlace } from '../changes-format.js';
import { useAddComment } from '../changes-mutations.js';
import type { Range } from '../changes-queries.js';
import { QUOTE_MAX_CHARS } from '../limits.js';
import { CommentForm } from '../review/comment-form.js';
import { CommentView } from '../review/comment-view.js';
import { useUndoableRevert } from '../use-undoable.js';
import { type NotesOf, ROW_PX, type View } from './diff-block.js';
import { HunkView } from './hunk-view.js';
import type { LineSelection, Selection } from './line-selection.js';
import { type Hunk, parsePatch, quoteRows } from './patch.js';
import type { FocusRequest } from './use-diff-keys.js';

/** How a comparison is shown. */
export interface ComparisonLook {
  range: Range;
  view: View;
  /** `ignore` leaves out changes of whitespace alone. */
  spaces: 'ignore' | undefined;
  canRevert: boolean;
}

interface FileBodyProps {
  conv: string;
  file: ChangedFile;
  look: ComparisonLook;
  lines: LineSelection;
  comments: readonly ReviewComment[];
  wish: RefObject<FocusRequest | undefined>;
  diff: UseQueryResult<FileDiff>;
}

const LONGEST_GUESS_ROWS = 20_000;

/** Estimated height of a file's diff before it is loaded, in pixels. */
export const guessHeight = ({ additions, deletions }: ChangedFile): number =>
  (Math.min(additions + deletions, LONGEST_GUESS_ROWS) + 8) * ROW_PX;

/** The diff of one file. */
export function FileBody({ diff, ...props }: FileBodyProps) {
  const { file } = props;
  if (diff.isPending && !diff.error)
    return (
      <div className="waiting" data-waiting={file.path} style={{ minHeight: guessHeight(file) }}>
        <p role="status">Loading the changes…</p>
      </div>
    );
  return (
    <Loaded query={diff} what={`The changes of ${toDisplayText(file.path)} could not be read.`}>
      {(data) => <FileLines {...props} diff={data} />}
    </Loaded>
  );
}

type FileLinesProps = Omit<FileBodyProps, 'diff'> & { diff: FileDiff };

function FileLines({ conv, file, look, lines, comments, wish, diff }: FileLinesProps) {
  const place = useRef<HTMLDivElement>(null);
  const { patch } = diff;
  const hunks = useMemo(() => parsePatch(patch), [patch]);
  useWish(place, file.path, wish);
  const revert = useUndoableRevert(conv);
  const { notesOf, away } = useNotes(conv, file.path, hunks, lines, comments);
  const { revertHunk, isReverting } = useHunkRevert(revert, file.path, look);
  return (
    <div ref={place}>
      {away}
      {hunks.map((hunk, at) => (
        <HunkView
          key={`${hunk.oldStart}-${hunk.newStart}`}
          {...{ path: file.path, hunk, at, lines, notesOf, isReverting }}
          view={look.view}
          onRevert={revertHunk}
        />
      ))}
      {hunks.length === 0 && <p className="notice quiet">{sayEmpty(file, look)}</p>}
      {diff.cut && <p className="notice quiet">The diff is longer than what is shown here.</p>}
    </div>
  );
}

function sayEmpty({ binary, status, old_path }: ChangedFile, { spaces }: ComparisonLook): string {
  if (binary) return 'A binary file: it has no lines to show.';
  if (spaces === 'ignore') return 'Only whitespace changed.';
  if (status === 'renamed') return `Renamed from ${toDisplayText(old_path ?? '')}, with the same content.`;
  return 'No lines changed: the file is empty, or only its mode changed.';
}

function useHunkRevert(
  revert: ReturnType<typeof useUndoableRevert>,
  path: string,
  { range, spaces, canRevert }: ComparisonLook,
) {
  const { run, isPending } = revert;
  const { from } = range;
  const revertHunk = useCallback(
    (hunk: Hunk) => run({ path, ...(from !== undefined && { from }), hunk: hunk.raw }, 'The hunk was reverted.'),
    [run, path, from],
  );
  // A hunk without the changes of whitespace does not fit the file.
  return { revertHunk: canRevert && spaces === undefined ? revertHunk : undefined, isReverting: isPending };
}

/** Gives the focus to the first or last hunk when the keys moved to this file before it was loaded. */
function useWish(place: RefObject<HTMLElement | null>, path: string, wish: RefObject<FocusRequest | undefined>): void {
  useEffect(() => {
    if (wish.current?.path !== path) return;
    const hunks = place.current?.querySelectorAll<HTMLElement>('[data-hunk]') ?? [];
    const hunk = [...hunks].at(wish.current.edge === 'first' ? 0 : -1);
    wish.current = undefined;
    hunk?.focus({ preventScroll: true });
    hunk?.scrollIntoView({ block: 'start' });
  }, [place, path, wish]);
}

/** Returns the comments and the form that follow a line, and those whose lines are not shown. */
function useNotes(
  conv: string,
  path: string,
  hunks: readonly Hunk[],
  lines: LineSelection,
  comments: readonly ReviewComment[],
): { notesOf: NotesOf; away: ReactNode } {
  const { selection, clear } = lines;
  const placed = useMemo(() => placeComments(hunks, comments), [hunks, comments]);
  const written = selection?.isWriting ? selection : undefined;
  const form = useMemo(
    () => written && <NewComment {...{ conv, path, hunks }} selection={written} onClose={clear} />,
    [conv, path, hunks, written, clear],
  );
  // The same while the selection moves without a comment, so that no line is rendered again for it.
  const notesOf = useCallback<NotesOf>(
    (side, line) => {
      const here = placed.at.get(`${side}:${line}`);
      const isForm = written?.side === side && written.end === line;
      if (!here && !isForm) return null;
      return (
        <div className="notes">
          {here?.map((comment) => (
            <CommentView key={comment.comment} comment={comment} />
          ))}
          {isForm && form}
        </div>
      );
    },
    [placed, written, form],
  );
  const isFileForm = written !== undefined && written.side === undefined;
  const away = (placed.away.length > 0 || isFileForm) && (
    <div className="notes">
      {placed.away.map((comment) => (
        <CommentView key={comment.comment} comment={comment} isAway />
      ))}
      {isFileForm && form}
    </div>
  );
  return { notesOf, away };
}

interface NewCommentProps {
  conv: string;
  path: string;
  hunks: readonly Hunk[];
  selection: Selection;
  onClose: () => void;
}

/** The form of a comment on the selected lines or on the file. It saves a draft, which is sent later. */
function NewComment({ conv, path, hunks, selection: { side, start, end }, onClose }: NewCommentProps) {
  const add = useAddComment(conv);
  const say = useToast();
  const save = (text: string, done: () => void) => {
    const quote = side && quoteRows(hunks, { side, start, end }, QUOTE_MAX_CHARS);
    const body = { path, text, ...(side && { side, start_line: start, end_line: end, quote }) };
    add.mutate(body, {
      onSuccess: () => {
        done();
        say({ text: 'Draft saved. Nothing is sent yet.' });
      },
    });
  };
  return (
    <CommentForm
      place={`changes:${conv}:${path}:${side ?? 'file'}:${end}`}
      label={`Comment on ${formatPlace({ side: side ?? null, start_line: start, end_line: end })}`}
      submitLabel="Save draft"
      isBusy={add.isPending}
      error={add.error}
      onSave={save}
      onClose={onClose}
    />
  );
}

/** Groups comments by the line that they follow. Those without one, or whose line is not shown, are `away`. */
function placeComments(hunks: readonly Hunk[], comments: readonly ReviewComment[]) {
  const at = new Map<string, ReviewComment[]>();
  const away: ReviewComment[] = [];
  if (comments.length === 0) return { at, away };
  const shown = new Set<string>();
  for (const { rows } of hunks)
    for (const row of rows) {
      if (row.old !== undefined) shown.add(`old:${row.old}`);
      if (row.new !== undefined) shown.add(`new:${row.new}`);
    }
  for (const comment of comments) {
    const key = `${comment.side}:${comment.end_line ?? comment.start_line}`;
    if (comment.side === null || !shown.has(key)) away.push(comment);
    else at.set(key, [...(at.get(key) ?? []), comment]);
  }
  return { at, away };
}
