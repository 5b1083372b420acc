import { useCallback, useMemo, useRef } from 'react';
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
  /** Why nothing can be rewound now. */
  rewindProblem: string | undefined;
  /** Why nothing can be sent now. */
  sendProblem: string | undefined;
  onRange: (range: Range) => void;
}

const NO_COMMENTS: readonly ReviewComment[] = [];

/** The changed files with their diffs and comments, and the list of files beside them. */
export function ChangesView(props: ChangesViewProps) {
  const { conv, name, changes, review, checkpoints, look, sendProblem } = props;
  const place = useRef<HTMLDivElement>(null);
  const wish = useRef<FocusRequest | undefined>(undefined);
  useDiffKeys(place, wish);
  const comments = useMemo(() => groupByPath(review?.comments ?? NO_COMMENTS), [review?.comments]);
  const viewed = useViewedFiles(conv);
  const open = useCallback((path: string) => openFile(place.current, path), []);
  const names = useMemo(() => new Map(review?.reviewers.map((one) => [one.id, one.name])), [review?.reviewers]);
  return (
    <div className="layout">
      <div className="side">
        <details className="filesPanel" open>
          <summary>Files ({changes.count.toLocaleString('en-GB')})</summary>
          <FileList files={changes.files} comments={comments} onOpen={open} />
        </details>
        {checkpoints && checkpoints.count > 0 && (
          <CheckpointsPanel
            conv={conv}
            checkpoints={checkpoints.checkpoints}
            problem={props.rewindProblem}
            onShow={props.onRange}
          />
        )}
        <Keys />
      </div>
      <div className="files" ref={place}>
        {review && <AskedReviews asked={review.asked} names={names} />}
        <OtherComments comments={comments} files={changes.files} />
        {changes.files.length === 0 && <EmptyState>No file differs between these two states.</EmptyState>}
        {changes.files.map((file) => (
          <FileSection
            key={file.path}
            conv={conv}
            file={file}
            look={look}
            comments={comments.get(file.path) ?? NO_COMMENTS}
            viewed={viewed.digests[file.path]}
            onViewed={viewed.set}
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
