import { useCallback, useMemo, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { ChangedFile, Changes, CheckpointList } from '../../../daemon/contract/work/changes.js';
import type { Review, ReviewComment } from '../../../daemon/contract/work/reviews.js';
import { EmptyState } from '../../components/notes.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { countWords } from './changes-format.js';
import type { Range } from './changes-queries.js';
import { CheckpointsPanel } from './checkpoint-list.js';
import type { ComparisonLook } from './diff/file-body.js';
import { FileSection } from './diff/file-section.js';
import { type FocusRequest, useDiffKeys } from './diff/use-diff-keys.js';
import { FileList } from './file-list.js';
import { AskedReviews } from './review/ask-review.js';
import { CommentView } from './review/comment-view.js';
import { ReviewBar } from './review/review-bar.js';
import { useUnhiddenFiles } from './use-unhidden-files.js';
import { useViewedFiles } from './viewed-files.js';

interface ChangesViewProps {
  conv: string;
  /** The name of the member that gets the comments. */
  name: string;
  changes: Changes;
  /** Undefined while it is loading or could not be read. */
  review: Review | undefined;
  checkpoints: CheckpointList | undefined;
  look: ComparisonLook;
  hidesViewed: boolean;
  /** Why nothing can be rewound now. */
  rewindProblem: string | undefined;
  /** Why nothing can be sent now. */
  sendProblem: string | undefined;
  onRange: (range: Range) => void;
}

const NO_COMMENTS: readonly ReviewComment[] = [];

/** The changed files with their diffs and comments, and the list of files beside them. */
export function ChangesView(props: ChangesViewProps) {
  const { conv, name, changes, review, look, hidesViewed, sendProblem } = props;
  const place = useRef<HTMLDivElement>(null);
  const wish = useRef<FocusRequest | undefined>(undefined);
  useDiffKeys(place, wish);
  const comments = useMemo(() => groupByPath(review?.comments ?? NO_COMMENTS), [review?.comments]);
  const viewed = useViewedFiles(conv);
  const files = useUnhiddenFiles(conv, look, changes.files, viewed.digests, hidesViewed);
  const setViewed = useCallback(
    (path: string, digest: string | undefined) => {
      const next = hidesViewed && digest !== undefined && findNextHead(place.current, path);
      flushSync(() => viewed.set(path, digest));
      // The focus was in the file that is hidden now.
      if (next) next.focus();
    },
    [hidesViewed, viewed.set],
  );
  const open = useCallback((path: string) => openFile(place.current, path), []);
  const names = useMemo(() => new Map(review?.reviewers.map((one) => [one.id, one.name])), [review?.reviewers]);
  return (
    <div className="layout">
      <Side {...props} {...{ files, comments }} onOpen={open} />
      <div className="files" ref={place} tabIndex={-1}>
        {review && <AskedReviews asked={review.asked} names={names} />}
        <OtherComments comments={comments} files={changes.files} />
        {changes.files.length === 0 && <EmptyState>No file differs between these two states.</EmptyState>}
        {changes.files.length > 0 && files.length === 0 && <EmptyState>You have viewed all files.</EmptyState>}
        {files.map((file) => (
          <FileSection
            key={file.path}
            conv={conv}
            file={file}
            look={look}
            comments={comments.get(file.path) ?? NO_COMMENTS}
            viewed={viewed.digests[file.path]}
            onViewed={setViewed}
            wish={wish}
          />
        ))}
        {changes.left_out > 0 && (
          <p className="quiet">{countWords(changes.left_out, 'further file')} changed. They are not shown.</p>
        )}
        {review && <ReviewBar review={review} name={name} problem={sendProblem} />}
      </div>
    </div>
  );
}

interface SideProps extends ChangesViewProps {
  /** Those that are not hidden. */
  files: readonly ChangedFile[];
  comments: ReadonlyMap<string, readonly ReviewComment[]>;
  onOpen: (path: string) => void;
}

/** The list of files, the checkpoints and the keys. */
function Side({ conv, changes, checkpoints, hidesViewed, rewindProblem, onRange, files, comments, onOpen }: SideProps) {
  return (
    <div className="side">
      <details className="filesPanel" open>
        <summary>Files ({changes.count.toLocaleString('en-GB')})</summary>
        {hidesViewed && (
          <p className="small quiet" role="status">
            {countWords(changes.files.length - files.length, 'viewed file')} hidden
          </p>
        )}
        <FileList files={files} comments={comments} onOpen={onOpen} />
      </details>
      {checkpoints && checkpoints.count > 0 && (
        <CheckpointsPanel conv={conv} checkpoints={checkpoints.checkpoints} problem={rewindProblem} onShow={onRange} />
      )}
      <Keys />
    </div>
  );
}

function groupByPath(comments: readonly ReviewComment[]): ReadonlyMap<string, readonly ReviewComment[]> {
  const groups = new Map<string, ReviewComment[]>();
  for (const comment of comments) groups.set(comment.path, [...(groups.get(comment.path) ?? []), comment]);
  return groups;
}

/** Scrolls to a file and gives its head the focus. */
function openFile(root: HTMLElement | null, path: string): void {
  const sections = root?.querySelectorAll<HTMLElement>('[data-file]') ?? [];
  const section = [...sections].find((one) => one.dataset['file'] === path);
  section?.scrollIntoView({ block: 'start' });
  section?.querySelector<HTMLElement>('[data-file-head]')?.focus({ preventScroll: true });
}

/**
 * Returns what gets the focus when a file is hidden that has it: the head of the file after it, or before it when it is
 * the last, or the list of files. Undefined when the focus is elsewhere.
 */
function findNextHead(root: HTMLElement | null, path: string): HTMLElement | undefined {
  const sections = [...(root?.querySelectorAll<HTMLElement>('[data-file]') ?? [])];
  const at = sections.findIndex((one) => one.dataset['file'] === path);
  if (!root || !sections[at]?.contains(document.activeElement)) return undefined;
  return (sections[at + 1] ?? sections[at - 1])?.querySelector<HTMLElement>('[data-file-head]') ?? root;
}

interface OtherCommentsProps {
  comments: ReadonlyMap<string, readonly ReviewComment[]>;
  files: readonly ChangedFile[];
}

/** Comments on files that do not differ in what is compared. */
function OtherComments({ comments, files }: OtherCommentsProps) {
  const shown = useMemo(() => new Set(files.map(({ path }) => path)), [files]);
  const others = [...comments].filter(([path]) => !shown.has(path));
  if (others.length === 0) return null;
  return (
    <section className="file" aria-label="Comments on other files">
      {others.flatMap(([path, list]) =>
        list.map((comment) => (
          <div key={comment.comment} className="notes">
            <p className="mono small">{toDisplayText(path)}</p>
            <CommentView comment={comment} isAway />
          </div>
        )),
      )}
    </section>
  );
}

function Keys() {
  return (
    <p className="keys small quiet">
      <kbd>j</kbd> <kbd>k</kbd> hunks, <kbd>[</kbd> <kbd>]</kbd> files, <kbd>↑</kbd> <kbd>↓</kbd> lines,{' '}
      <kbd>Enter</kbd> comments, <kbd>v</kbd> viewed. Shift selects several lines.
    </p>
  );
}
