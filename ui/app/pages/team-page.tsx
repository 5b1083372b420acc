import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import type { FileCommitState, Member, MemberList } from '../../../daemon/contract/team.js';
import { Button, buttonClass } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Notice } from '../../components/notes.js';
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
import { DraftMemberDialog, NewMemberDialog } from '../../features/team/new-member-dialog.js';
import { NoMembers } from '../../features/team/no-members.js';
import { RemovedMembers, RestorableDefaults } from '../../features/team/restorable.js';
import type { RosterEntry } from '../../features/team/roster/roster-entry.js';
import { RosterList } from '../../features/team/roster/roster-list.js';
import { findCommonModel, readSort, sortRoster } from '../../features/team/roster/roster-sort.js';
import { SelectionActions } from '../../features/team/roster/selection-actions.js';
import { type RosterSelection, useRosterSelection } from '../../features/team/roster/use-roster-selection.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { formatModel } from '../../lib/format/format-model.js';
import { isEscape } from '../../lib/keys/is-escape.js';
import { usePageTitle } from '../page-title.js';
import { CHORD_MS } from '../places.js';
import { filterMembers, TeamFilters } from './team-filters.js';

const route = getRouteApi('/team');
/** The notice above the list says it already. */
const SEARCH_ONLY = formatModel(null, 'builtin');

export function TeamPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/team' });
  const { team, facts: roster } = useRoster();
  usePageTitle('Team');
  const close = () => void navigate({ search: (was) => ({ ...was, make: undefined }), replace: true });
  const opened = (id: string) => void navigate({ to: '/team/$id', params: { id }, search: { tab: 'file' } });

  const { members } = roster;
  const entries = useMemo(
    () =>
      sortRoster(
        filterMembers(members, search, roster).map((member) => createEntry(member, roster)),
        readSort(search.sort),
      ),
    [members, search, roster],
  );
  return (
    <>
      <PageHead
        title="Team"
        lede="Each member is a Markdown file in .mesh/team. Edit it here or in any editor; the file on disk is used."
        actions={<NewMemberActions />}
      />
      <NoModelNotice />
      <TeamNotices members={members} list={team.data} />
      <div className="stack">
        <TeamFilters members={members} facts={roster} />
        <Loaded query={team} what="The team could not be loaded." rows={9}>
          {(list) =>
            members.length === 0 ? (
              <NoMembers roster={list} onNew={() => void navigate({ search: { make: 'form' } })} />
            ) : entries.length === 0 ? (
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
              <Entries entries={entries} members={members} />
            )
          }
        </Loaded>
        <RemovedMembers removed={team.data?.removed ?? []} />
      </div>
      {search.make === 'form' && <NewMemberDialog onClose={close} onCreated={opened} />}
      {search.make === 'draft' && <DraftMemberDialog onClose={close} onCreated={opened} />}
    </>
  );
}

/** Members that wait for approval, and default members that have no file. */
function TeamNotices({ members, list }: { members: readonly Member[]; list: MemberList | undefined }) {
  const waiting = members.filter(isWaiting);
  const known = new Set([...members, ...(list?.removed ?? [])].map(({ id }) => id));
  return (
    <>
      {waiting.length > 0 && (
        <Notice tone="needs">
          <WaitingMembers members={waiting} isWhole />
        </Notice>
      )}
      {members.length > 0 && <RestorableDefaults ids={(list?.restorable ?? []).filter((id) => !known.has(id))} />}
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

/** The list of the members that the filter shows. */
function Entries({ entries, members }: { entries: readonly RosterEntry[]; members: readonly Member[] }) {
  const sort = readSort(route.useSearch().sort);
  const navigate = useNavigate({ from: '/team' });
  const selection = useRosterSelection(entries.map(({ member }) => member.id));
  const pressed = useRowKeys(selection);
  const model = findCommonModel(members);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the links inside.
    <div onKeyDown={pressed}>
      {members.length > 1 && model !== undefined && model !== SEARCH_ONLY && (
        <p className="small quiet">All members run on {model}.</p>
      )}
      <RosterList
        entries={entries}
        sort={sort}
        onSort={(next) =>
          void navigate({ search: (was) => ({ ...was, sort: next }), replace: true, resetScroll: false })
        }
        selection={selection}
        hasOneModel={model !== undefined}
        actions={
          <SelectionActions
            members={entries.flatMap(({ member }) => (selection.selected.has(member.id) ? member : []))}
            onClear={() => selection.set([])}
          />
        }
      />
    </div>
  );
}

/** Returns the team, and what its rows show of each member. */
function useRoster() {
  const team = useQuery(teamQuery());
  const lastUsed = useLastUsed();
  const drift = useQuery(driftQuery()).data;
  const drifted = useMemo(() => new Map(drift?.map((one) => [one.id, one] as const)), [drift]);
  const tested = useQuery(testsListQuery()).data?.members;
  const running = useRunning();
  const commitStates = useCommitStates();
  const members = team.data?.members;
  // The same object until something that the rows show has changed.
  const facts = useMemo(() => {
    const tests = new Map(tested?.map((one) => [one.id, one] as const));
    return { members: members ?? [], lastUsed, drifted, tests, running, commitStates };
  }, [members, lastUsed, drifted, tested, running, commitStates]);
  return { team, facts };
}

type Roster = ReturnType<typeof useRoster>['facts'];

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
    usedAt: used?.at,
    file: formatFileState(member, drifted.get(member.id), commitStates.get(member.id)),
  };
}

/**
 * Returns the handler of the keys on a row: `t` starts a conversation with its member (after `g` it is the shortcut to
 * this page), `x` selects it, with Shift all from the last one on, and Esc clears the selection. Without single-key
 * shortcuts Esc alone works.
 */
function useRowKeys({ selected, set, toggle }: RosterSelection): (event: KeyboardEvent) => void {
  const { talkTo } = useTalkTo();
  const { data: preferences } = useQuery(preferencesQuery());
  const chordAt = useRef(Number.NEGATIVE_INFINITY);
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (isEscape(event.nativeEvent) && selected.size > 0 && !target.closest('dialog')) set([]);
    if (preferences?.single_key_shortcuts === false) return;
    if (event.key === 'g') chordAt.current = event.timeStamp;
    const member = target.dataset['member'];
    if (member === undefined) return;
    if (event.key.toLowerCase() === 'x') toggle(member, event.shiftKey);
    else if (event.key === 't' && event.timeStamp - chordAt.current >= CHORD_MS) talkTo(member);
    else return;
    event.preventDefault();
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
