import '../../../features/changes/changes-styles.js';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import type { Changes } from '../../../../daemon/contract/work/changes.js';
import type { Review } from '../../../../daemon/contract/work/reviews.js';
import { Button } from '../../../components/button.js';
import { ErrorBoundary } from '../../../components/error-boundary.js';
import { Loaded } from '../../../components/loaded.js';
import { EmptyState, Notice } from '../../../components/notes.js';
import { PageHead } from '../../../components/section.js';
import { ChangesBar } from '../../../features/changes/changes-bar.js';
import { endsWithWorkingFiles, formatCounts } from '../../../features/changes/changes-format.js';
import { RUNNING } from '../../../features/changes/changes-link.js';
import { changesQuery, checkpointsQuery, type Range, reviewQuery } from '../../../features/changes/changes-queries.js';
import { type ChangesSearch, readChangesSearch } from '../../../features/changes/changes-search.js';
import { ChangesView } from '../../../features/changes/changes-view.js';
import type { ComparisonLook } from '../../../features/changes/diff/file-body.js';
import { MergeDialog } from '../../../features/changes/merge/merge-dialog.js';
import { AskReviewMenu } from '../../../features/changes/review/ask-review.js';
import { conversationQuery } from '../../../features/conversations/conversations-queries.js';
import { teamQuery } from '../../../features/team/team-queries.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { useLineStatus } from '../../live-updates.js';
import { usePageTitle } from '../../page-title.js';
import { MissingPage } from '../missing-page.js';

const route = getRouteApi('/talk/$conv/changes');
/** From this width on, two columns of code are readable. */
const WIDE = '(min-width: 900px)';
const OFFLINE = 'The daemon cannot be reached.';

export function ChangesPage() {
  const { conv } = route.useParams();
  const conversation = useQuery(conversationQuery(conv));
  usePageTitle(`Changes of ${conversation.data?.title ?? 'a conversation'}`);
  if (MissingPage.fits(conversation.error)) {
    return (
      <MissingPage title="There is no such conversation" name={conv} to="/talk" words="Show the conversations">
        It was deleted, or the address is mistyped.
      </MissingPage>
    );
  }
  return (
    <Loaded query={conversation} what="The conversation could not be read." rows={8}>
      {(data) => <ConversationChanges key={data.conv} conversation={data} />}
    </Loaded>
  );
}

function ConversationChanges({ conversation }: { conversation: Conversation }) {
  const { conv, running } = conversation;
  const { search, set } = useChangesSearch();
  const isWide = useIsWide();
  const range: Range = { from: search.since, to: search.until };
  const changes = useQuery(changesQuery(conv, range));
  const checkpoints = useQuery(checkpointsQuery(conv)).data;
  const review = useQuery(reviewQuery(conv)).data;
  const isOffline = useLineStatus().state === 'offline';
  const name = useMemberName(conversation);
  const view = search.view === 'split' && isWide ? 'split' : 'unified';
  const sendProblem = isOffline ? OFFLINE : conversation.member_gone ? 'The member is gone.' : undefined;
  const hidesViewed = search.viewed === 'hidden';
  const canRevert = endsWithWorkingFiles(range) && running === null && !isOffline;
  const look = useLook(search, view, canRevert);
  return (
    <div className="changes">
      <Head {...{ conversation, review, sendProblem }} changes={changes.data} onMerge={() => set({ merge: 'shown' })} />
      {running !== null && (
        <Notice tone="info">
          <p>A turn is running. What it changed is read again at its end.</p>
        </Notice>
      )}
      <ChangesBar
        checkpoints={checkpoints?.checkpoints ?? []}
        {...{ range, view }}
        isNarrow={!isWide}
        ignoresSpaces={search.spaces === 'ignore'}
        hidesViewed={hidesViewed}
        onChange={(changed) =>
          set({
            ...(changed.range && { since: changed.range.from, until: changed.range.to }),
            ...(changed.view && { view: changed.view === 'split' ? 'split' : undefined }),
            ...(changed.ignoresSpaces !== undefined && { spaces: changed.ignoresSpaces ? 'ignore' : undefined }),
            ...(changed.hidesViewed !== undefined && { viewed: changed.hidesViewed ? 'hidden' : undefined }),
          })
        }
      />
      <Loaded query={changes} what="The changes could not be read." rows={8}>
        {(data) =>
          data.problem !== null ? (
            <EmptyState>{toDisplayText(data.problem)}</EmptyState>
          ) : (
            <ErrorBoundary what="The changes could not be drawn.">
              <ChangesView
                {...{ conv, name, review, checkpoints, look, hidesViewed, sendProblem }}
                changes={data}
                rewindProblem={running === null ? undefined : RUNNING}
                onRange={({ from, to }) => set({ since: from, until: to })}
              />
            </ErrorBoundary>
          )
        }
      </Loaded>
      {search.merge && <MergeDialog conv={conv} name={name} onClose={() => set({ merge: undefined })} />}
    </div>
  );
}

interface HeadProps {
  conversation: Conversation;
  changes: Changes | undefined;
  review: Review | undefined;
  sendProblem: string | undefined;
  onMerge: () => void;
}

function Head({ conversation: { conv, title }, changes, review, sendProblem, onMerge }: HeadProps) {
  const facts = changes?.problem === null && formatCounts({ ...changes, files: changes.count });
  return (
    <PageHead
      title="Changes"
      lede={
        <>
          In{' '}
          <Link to="/talk/$conv" params={{ conv }}>
            {toDisplayText(title)}
          </Link>
          {facts && <span role="status"> · {facts}</span>}
        </>
      }
      actions={
        <>
          {review && <AskReviewMenu review={review} problem={sendProblem} />}
          <Button onClick={onMerge}>Merge</Button>
        </>
      }
    />
  );
}

/** Returns the query of the page and a function that changes it. */
function useChangesSearch() {
  const search = readChangesSearch(route.useSearch());
  const navigate = useNavigate({ from: '/talk/$conv/changes' });
  const set = (changed: ChangesSearch) =>
    void navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false });
  return { search, set };
}

/** Returns the same object until the look changes, so that files are not rendered again. */
function useLook(
  { since, until, spaces }: ChangesSearch,
  view: ComparisonLook['view'],
  canRevert: boolean,
): ComparisonLook {
  return useMemo(
    () => ({ range: { from: since, to: until }, view, spaces, canRevert }),
    [since, until, view, spaces, canRevert],
  );
}

function useMemberName({ member, agent_type }: Conversation): string {
  const known = useQuery({ ...teamQuery(), select: (team) => team.members.find((one) => one.id === member)?.name });
  return toDisplayText(known.data ?? member ?? `${agent_type} agent`);
}

function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(() => window.matchMedia(WIDE).matches);
  useEffect(() => {
    const wide = window.matchMedia(WIDE);
    const look = () => setIsWide(wide.matches);
    wide.addEventListener('change', look);
    return () => wide.removeEventListener('change', look);
  }, []);
  return isWide;
}
