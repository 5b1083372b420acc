import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import type { FileCommitState, Member } from '../../../daemon/contract/team.js';
import { Button, buttonClass } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Notice } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { PageHead } from '../../components/section.js';
import { Icon } from '../../components/text/icon.js';
import { Ago } from '../../components/text/time.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { recentConversationsQuery } from '../../features/conversations/conversations-queries.js';
import { LiveMark } from '../../features/conversations/list/live-mark.js';
import { useTalkTo } from '../../features/conversations/list/member-conversations.js';
import { useRunning } from '../../features/conversations/list/use-running.js';
import { WaitingMembers } from '../../features/exposure/waiting-members.js';
import { driftQuery } from '../../features/imports/imports-queries.js';
import { TestsBadge } from '../../features/member-tests/tests-badge.js';
import { testsListQuery } from '../../features/member-tests/tests-queries.js';
import { NoModelNotice } from '../../features/models/no-model-notice.js';
import { preferencesQuery } from '../../features/system/system-queries.js';
import { formatFileState } from '../../features/team/file-format.js';
import { rosterHistoryQuery } from '../../features/team/history-queries.js';
import { isWaiting } from '../../features/team/is-open.js';
import { MemberRow } from '../../features/team/member-row.js';
import { MemberTable } from '../../features/team/member-table.js';
import { DraftMemberDialog, NewMemberDialog } from '../../features/team/new-member-dialog.js';
import { NoMembers } from '../../features/team/no-members.js';
import type { RosterEntry } from '../../features/team/roster-entry.js';
import { useRestoreMember } from '../../features/team/team-mutations.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { usePageTitle } from '../page-title.js';
import { CHORD_MS } from '../places.js';
import { filterMembers, TeamFilters } from './team-filters.js';

const route = getRouteApi('/team');

export function TeamPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/team' });
  const roster = useRoster();
  usePageTitle('Team');
  const talkOnT = useTalkOnT();
  const close = () => void navigate({ search: (was) => ({ ...was, make: undefined }), replace: true });
  const opened = (id: string) => void navigate({ to: '/team/$id', params: { id }, search: { tab: 'file' } });

  const { team, members } = roster;
  const waiting = members.filter(isWaiting);
  const shown = filterMembers(members, search, roster);
  return (
    <>
      <PageHead
        title="Team"
        lede="Each member is a Markdown file in .mesh/team. Edit it here or in any editor; the file on disk is used."
        actions={<NewMemberActions />}
      />
      <NoModelNotice />
      {waiting.length > 0 && (
        <Notice tone="needs">
          <WaitingMembers members={waiting} isWhole />
        </Notice>
      )}
      {members.length > 0 && (
        <Restorable
          restorable={(team.data?.restorable ?? []).filter((id) => !members.some((member) => member.id === id))}
        />
      )}
      <div className="stack">
        <TeamFilters members={members} facts={roster} />
        <Loaded query={team} what="The team could not be loaded." rows={9}>
          {(list) =>
            members.length === 0 ? (
              <NoMembers roster={list} onNew={() => void navigate({ search: { make: 'form' } })} />
            ) : shown.length === 0 ? (
              <EmptyState
                action={
                  <Button onClick={() => void navigate({ search: {}, replace: true })}>
                    Show all {members.length}
                  </Button>
                }
              >
                No member matches the filter. {members.length} are hidden.
              </EmptyState>
            ) : (
              // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the links inside.
              <div onKeyDown={talkOnT}>
                <Entries entries={shown.map((member) => createEntry(member, roster))} isTable={search.as === 'table'} />
              </div>
            )
          }
        </Loaded>
      </div>
      {search.make === 'form' && <NewMemberDialog onClose={close} onCreated={opened} />}
      {search.make === 'draft' && <DraftMemberDialog onClose={close} onCreated={opened} />}
    </>
  );
}

function NewMemberActions() {
  const navigate = useNavigate({ from: '/team' });
  return (
    <>
      <Link to="/import" className={buttonClass()}>
        Import
      </Link>
      <Link to="/export" className={buttonClass()}>
        Export
      </Link>
      <Button onClick={() => void navigate({ search: (was) => ({ ...was, make: 'draft' }) })}>
        Generate from a description
      </Button>
      <Button look="primary" onClick={() => void navigate({ search: (was) => ({ ...was, make: 'form' }) })}>
        <Icon name="plus" />
        New member
      </Button>
    </>
  );
}

function Entries({ entries, isTable }: { entries: readonly RosterEntry[]; isTable: boolean }) {
  if (isTable) return <MemberTable entries={entries} />;
  return (
    <ul className={rows.rows} aria-label="Members">
      {entries.map((entry) => (
        <MemberRow key={entry.member.id} {...entry} />
      ))}
    </ul>
  );
}

/** Returns the team, and what its rows show of each member. */
function useRoster() {
  const team = useQuery(teamQuery());
  const lastUsed = useLastUsed();
  const drift = useQuery(driftQuery()).data;
  const drifted = useMemo(() => new Map(drift?.map((one) => [one.id, one] as const)), [drift]);
  const tests = new Map(useQuery(testsListQuery()).data?.members.map((one) => [one.id, one] as const));
  const running = useRunning();
  const commitStates = useCommitStates();
  return { team, members: team.data?.members ?? [], lastUsed, drifted, tests, running, commitStates };
}

type Roster = ReturnType<typeof useRoster>;

function createEntry(member: Member, { lastUsed, drifted, tests, running, commitStates }: Roster): RosterEntry {
  const used = lastUsed.get(member.id);
  const tested = tests.get(member.id);
  return {
    member,
    isWorking: running.has(member.id),
    live: (
      <>
        {tested?.exists && <TestsBadge tests={tested} />}
        <LiveMark member={member} running={running.get(member.id) ?? []} />
      </>
    ),
    lastUsed: used && (
      <>
        {used.how} <Ago at={used.at} />
      </>
    ),
    file: formatFileState(member, drifted.get(member.id), commitStates.get(member.id)),
  };
}

/**
 * Returns a key handler: `t` on a row starts a conversation with its member when single-key shortcuts are on. After `g`
 * it is the shortcut to this page.
 */
function useTalkOnT(): (event: KeyboardEvent) => void {
  const { talkTo } = useTalkTo();
  const { data: preferences } = useQuery(preferencesQuery());
  const chordAt = useRef(Number.NEGATIVE_INFINITY);
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || preferences?.single_key_shortcuts === false) return;
    if (event.key === 'g') chordAt.current = event.timeStamp;
    const member = (event.target as HTMLElement).dataset['member'];
    if (event.key !== 't' || member === undefined || event.timeStamp - chordAt.current < CHORD_MS) return;
    event.preventDefault();
    talkTo(member);
  };
}

interface Used {
  at: string;
  how: 'asked' | 'talked';
}

/** Returns when each member was last asked or talked to, according to the recent requests and conversations. */
function useLastUsed(): Map<string, Used> {
  const requests = useQuery(recentRequestsQuery()).data;
  const talks = useQuery(recentConversationsQuery()).data;
  return useMemo(() => {
    const used = new Map<string, Used>();
    const note = (member: string | null, one: Used) => {
      if (member !== null && one.at > (used.get(member)?.at ?? '')) used.set(member, one);
    };
    for (const { member, created_at } of requests ?? []) note(member, { at: created_at, how: 'asked' });
    for (const { member, from_outside, messages, updated_at } of talks ?? [])
      if (!from_outside && messages > 0) note(member, { at: updated_at, how: 'talked' });
    return used;
  }, [requests, talks]);
}

/** Returns the git state of the members' files; empty when the project is not in a repository. */
function useCommitStates(): ReadonlyMap<string, FileCommitState> {
  const { data } = useQuery(rosterHistoryQuery());
  return useMemo(
    () => new Map(data?.repository ? data.members.map(({ id, standing: commitState }) => [id, commitState]) : []),
    [data],
  );
}

function Restorable({ restorable }: { restorable: string[] }) {
  const restore = useRestoreMember();
  if (restorable.length === 0) return null;
  return (
    <Notice tone="info">
      <p>
        {restorable.length === 1 ? 'A default member has' : `${restorable.length} default members have`} no file:{' '}
        {restorable.join(', ')}. Restore them to use them.
      </p>
      <div className="cluster">
        {restorable.map((id) => (
          <Button
            key={id}
            isSmall
            isBusy={restore.isPending && restore.variables === id}
            onClick={() => restore.mutate(id)}
          >
            Restore {id}
          </Button>
        ))}
      </div>
    </Notice>
  );
}
