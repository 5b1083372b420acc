import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { RequestRow as RequestSummary } from '../../../daemon/contract/asks.js';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Badge, OpenBadge } from '../../components/badge.js';
import { Button, buttonClass } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { PageHead, Section } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { Skeleton } from '../../components/states.js';
import { Flag } from '../../components/text/flag.js';
import { viewLink } from '../../components/view-link.js';
import { MemberAsAgent } from '../../features/agents/member-as-agent.js';
import { AskBox } from '../../features/asks/ask-box/ask-box.js';
import { askWithToken } from '../../features/asks/ask-box/ask-member.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { countCallersInTheHour } from '../../features/asks/caller-format.js';
import { MemberRequests } from '../../features/asks/member-requests.js';
import { RequestRow } from '../../features/asks/request-row.js';
import { LiveMark } from '../../features/conversations/list/live-mark.js';
import { MemberConversations, TalkButton } from '../../features/conversations/list/member-conversations.js';
import { useRunning } from '../../features/conversations/list/use-running.js';
import { WorkingTurn } from '../../features/conversations/list/working-turn.js';
import { AgreementNotice } from '../../features/exposure/agreement-notice.js';
import { ApiAccessView } from '../../features/exposure/api-access.js';
import { isSnippetKind } from '../../features/exposure/snippet-kinds.js';
import { ExposureTests } from '../../features/member-tests/exposure-tests.js';
import { NoModelNotice } from '../../features/models/no-model-notice.js';
import { BrokenNotice } from '../../features/team/broken-notice.js';
import { DeleteMember } from '../../features/team/delete-member.js';
import { isOpen } from '../../features/team/is-open.js';
import { MemberFileTab } from '../../features/team/member-file-tab.js';
import { MemberOverview } from '../../features/team/member-overview.js';
import { EMPTY_MEMBER, type NewMemberValues, toDuplicate } from '../../features/team/new-member.js';
import { memberQuery, teamQuery } from '../../features/team/team-queries.js';
import { UnservedNotice } from '../../features/team/unserved-notice.js';
import { useDraft } from '../../lib/drafts.js';
import { fetched } from '../../lib/fetched.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useMedia } from '../../lib/use-media.js';
import { usePageTitle } from '../page-title.js';
import styles from './member-page.module.css';
import { MissingPage } from './missing-page.js';

const DriftNotice = lazy(() => import('../../features/imports/drift-notice.js'));

const TestsTab = fetched(() => import('../../features/member-tests/tests-tab.js'), <Skeleton rows={6} />);

const MemberHistory = fetched(() => import('../../features/team/member-history.js'), <Skeleton rows={6} />);

const route = getRouteApi('/team/$id');
const ACTIVITY = 5;
const TABS = [
  { tab: undefined, words: 'Overview' },
  { tab: 'file', words: 'File' },
  { tab: 'access', words: 'API access' },
  { tab: 'tests', words: 'Tests' },
  { tab: 'talk', words: 'Conversations' },
  { tab: 'requests', words: 'Requests' },
  { tab: 'history', words: 'History' },
] as const;

export function MemberPage() {
  const { id } = route.useParams();
  const member = useQuery(memberQuery(id));
  usePageTitle(member.data?.name ?? id);
  if (MissingPage.fits(member.error)) {
    return (
      <MissingPage title="There is no such member" name={id} to="/team" words="Show the team">
        Its file was removed or renamed, or the address is mistyped.
      </MissingPage>
    );
  }
  return (
    <Loaded query={member} what="The member could not be read." rows={8}>
      {(data) => <MemberView key={data.id} member={data} />}
    </Loaded>
  );
}

function MemberView({ member }: { member: MemberDetail }) {
  const search = route.useSearch();
  const team = useQuery(teamQuery()).data;
  const requests = useQuery(recentRequestsQuery()).data;
  const isExposed = isOpen(member);
  const running = useRunning().get(member.id) ?? [];
  const activity = useMemo(
    () => (requests ?? []).filter((request) => request.member === member.id),
    [requests, member.id],
  );
  return (
    <>
      <MemberHead member={member} running={running} />
      <AgreementNotice member={member} />
      <UnservedNotice member={member} />
      <NoModelNotice />
      {member.state === 'broken' && (
        <BrokenNotice member={member} isRestorable={team?.restorable.includes(member.id) ?? false} />
      )}
      <ErrorBoundary what="The notice on its import could not be drawn.">
        <Suspense>
          <DriftNotice id={member.id} />
        </Suspense>
      </ErrorBoundary>
      <MemberTabs member={member} />
      <ErrorBoundary key={search.tab ?? ''} what="This part of the page could not be drawn.">
        {search.tab === undefined && (
          <MemberOverview
            member={member}
            aside={isExposed && <MemberAsAgent member={member.id} />}
            activity={<MemberActivity member={member} running={running} activity={activity} />}
          />
        )}
        {search.tab === 'file' && <MemberFileTab member={member} as={search.as ?? 'form'} against={search.against} />}
        {search.tab === 'tests' && <TestsTab member={member} />}
        {search.tab === 'talk' && <MemberConversations member={member} />}
        {search.tab === 'requests' && <MemberRequests member={member} isExposed={isExposed} />}
        {search.tab === 'history' && <MemberHistory member={member} commit={search.commit} />}
        {search.tab === 'access' && <ApiAccess member={member} activity={activity} />}
      </ErrorBoundary>
    </>
  );
}

function MemberHead({ member, running }: { member: MemberDetail; running: readonly Conversation[] }) {
  const navigate = useNavigate({ from: '/team/$id' });
  const isExposed = isOpen(member);
  return (
    <PageHead
      title={
        <span className={styles.title}>
          <Flag id={member.id} size={40} isRaised={running.length > 0} isExposed={isExposed} />
          {toDisplayText(member.name)} <span className={styles.id}>{member.id}</span>
          {isExposed && <OpenBadge />}
          {member.state === 'broken' && <Badge tone="failed">broken</Badge>}
          <LiveMark member={member} running={running} />
        </span>
      }
      lede={member.description}
      actions={
        <>
          <TalkButton member={member} />
          <Link to="/export" search={{ member: member.id }} className={buttonClass()}>
            Export
          </Link>
          <DuplicateMember member={member} />
          <DeleteMember member={member} onDeleted={() => void navigate({ to: '/team' })} />
        </>
      }
    />
  );
}

/** The views of a member: side by side, or a menu where they do not fit on one line. */
function MemberTabs({ member }: { member: MemberDetail }) {
  const { tab: shown } = route.useSearch();
  const isNarrow = useMedia('(max-width: 40rem)');
  const links = TABS.map(({ tab, words }) => (
    <Link key={words} from="/team/$id" to="." search={tab ? { tab } : {}} {...viewLink(shown === tab)}>
      {words}
    </Link>
  ));
  const label = toDisplayText(member.name);
  if (!isNarrow)
    return (
      <nav aria-label={label} className={segments.segments}>
        {links}
      </nav>
    );
  return (
    <nav aria-label={label}>
      {/* Another view closes the menu. */}
      <details key={shown} className="stack">
        <summary className={buttonClass()}>View: {TABS.find(({ tab }) => tab === shown)?.words} ▾</summary>
        <div className="stack">{links}</div>
      </details>
    </nav>
  );
}

interface MemberActivityProps {
  member: MemberDetail;
  running: readonly Conversation[];
  /** Its recent requests, newest first. */
  activity: readonly RequestSummary[];
}

/** The running turns of the member and its newest requests. */
function MemberActivity({ member, running, activity }: MemberActivityProps) {
  const isExposed = isOpen(member);
  return (
    <>
      {running.length > 0 && (
        <Section title="Working now" count={running.length}>
          <ul className={rows.rows}>
            {running.map((conversation) => (
              <WorkingTurn key={conversation.conv} conversation={conversation} isExposed={isExposed} />
            ))}
          </ul>
        </Section>
      )}
      <Section
        title="Activity"
        count={activity.length}
        actions={
          <Link to="." search={{ tab: 'requests' }}>
            All requests
          </Link>
        }
      >
        {activity.length === 0 ? (
          <EmptyState
            command={member.serving ? `meshd ask ${member.id} "what does this project do?"` : undefined}
            action={
              <Link to="." search={{ tab: 'access' }}>
                {isExposed ? 'Copy curl' : 'Show API access'}
              </Link>
            }
          >
            No requests to {toDisplayText(member.name)} yet.
          </EmptyState>
        ) : (
          <ul className={rows.rows}>
            {activity.slice(0, ACTIVITY).map((request) => (
              <RequestRow key={request.request_id} request={request} isExposed={isExposed} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

/** The exposure of the member, its entry as an agent, and a form that asks it through its API. */
function ApiAccess({ member, activity }: Pick<MemberActivityProps, 'member' | 'activity'>) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/team/$id' });
  const callersInTheHour = countCallersInTheHour(activity, Date.now());
  return (
    <ApiAccessView
      member={member}
      standing={<ExposureTests member={member} />}
      origin={window.location.origin}
      callersInTheHour={callersInTheHour}
      kind={isSnippetKind(search.snippet) ? search.snippet : 'curl'}
      onKind={(snippet) => void navigate({ search: (was) => ({ ...was, snippet }), replace: true, resetScroll: false })}
    >
      <MemberAsAgent member={member.id} />
      {member.token && (
        <Section title="Try it">
          <div className="stack" style={{ paddingTop: 12 }}>
            <p className="quiet">Sends the same request with the same token through the same API.</p>
            <AskBox
              place={`ask.${member.id}`}
              member={member}
              send={(text) => askWithToken(member.id, member.token ?? '', text)}
              question={member.examples?.[0] ?? 'What does this project do?'}
            />
          </div>
        </Section>
      )}
    </ApiAccessView>
  );
}

/** Opens the form for a new member, filled with this member's text. */
function DuplicateMember({ member }: { member: MemberDetail }) {
  const navigate = useNavigate();
  const draft = useDraft<NewMemberValues>('team.new', EMPTY_MEMBER);
  return (
    <Button
      onClick={() => {
        draft.set(toDuplicate(member));
        void navigate({ to: '/team', search: { make: 'form' } });
      }}
    >
      Duplicate
    </Button>
  );
}
