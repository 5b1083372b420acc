import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ConversationList } from '../../../daemon/contract/conversations.js';
import { Button } from '../../components/button.js';
import { FilterField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import { PageHead, Section } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { Icon } from '../../components/text/icon.js';
import { conversationsQuery } from '../../features/conversations/conversations-queries.js';
import { type ConversationGroup, groupConversations } from '../../features/conversations/list/conversation-groups.js';
import { ConversationRows } from '../../features/conversations/list/conversation-list.js';
import { NewConversationDialog } from '../../features/conversations/list/new-conversation-dialog.js';
import { MemberFilter } from '../../features/team/member-filter.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { usePages } from '../../lib/pages.js';
import { useNow } from '../../lib/use-now.js';
import { usePageTitle } from '../page-title.js';
import { useCounts } from '../use-counts.js';
import styles from './talk-page.module.css';

const route = getRouteApi('/talk');
const listRows = (page: ConversationList) => page.conversations;
/** Archived conversations that are listed below the current ones that a search finds. */
const ARCHIVED_SHOWN = 10;

interface TalkSearch {
  q?: string | undefined;
  member?: string | undefined;
  show?: 'archived' | undefined;
  make?: 'new' | undefined;
}

export function TalkPage() {
  const search: TalkSearch = route.useSearch();
  const navigate = useNavigate({ from: '/talk' });
  const team = useQuery(teamQuery()).data;
  const { talks } = useCounts();
  usePageTitle('Conversations', talks.length);
  const now = useNow(60_000);
  const isArchived = search.show === 'archived';
  const filters = { member: search.member, q: search.q, archived: isArchived ? (true as const) : undefined };
  const { query: conversations, all } = usePages(conversationsQuery(filters), listRows);
  const groups = useMemo(() => groupConversations(all, now), [all, now]);
  const isSearched = filters.q !== undefined && !isArchived;
  const set = (changed: TalkSearch) =>
    navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false });
  const begin = () => void navigate({ search: (was) => ({ ...was, make: 'new' as const }) });
  const members = team?.members.map(({ id }) => id) ?? [];
  return (
    <>
      <PageHead
        title="Conversations"
        lede="With team members. Each turn ends with an answer or the reason for a failure."
        actions={
          <Button look="primary" onClick={begin}>
            <Icon name="plus" />
            New conversation
          </Button>
        }
      />
      <div className="stack">
        <TalkFilters search={search} members={members} onChange={set} />
        <Loaded query={conversations} what="The conversations could not be read." rows={8}>
          {() =>
            all.length > 0 ? (
              <>
                <Groups groups={groups} />
                <OlderRows query={conversations} shown={all.length} unit={['conversation', 'conversations']} />
              </>
            ) : (
              <NoConversations
                search={search}
                member={members.find((id) => id === 'consultant') ?? members[0] ?? search.member}
                onChange={set}
                onBegin={begin}
              />
            )
          }
        </Loaded>
        {isSearched && <ArchivedMatches search={search} onShow={() => set({ show: 'archived' })} />}
      </div>
      {search.make && (
        <NewConversationDialog
          member={search.member}
          onClose={() => void navigate({ search: (was) => ({ ...was, make: undefined }), replace: true })}
          onCreated={({ conv }) => void navigate({ to: '/talk/$conv', params: { conv } })}
        />
      )}
    </>
  );
}

interface ArchivedMatchesProps {
  search: TalkSearch;
  onShow: () => void;
}

/** The archived conversations that a search of the current ones also finds. */
function ArchivedMatches({ search: { q, member }, onShow }: ArchivedMatchesProps) {
  const { all, query } = usePages(conversationsQuery({ q, member, archived: true }), listRows);
  if (all.length === 0) return null;
  return (
    <Section
      title="Archived"
      count={query.hasNextPage ? `${all.length} and more` : all.length}
      actions={
        <Button isSmall onClick={onShow}>
          Show them all
        </Button>
      }
    >
      <ConversationRows conversations={all.slice(0, ARCHIVED_SHOWN)} label="Archived matches" />
    </Section>
  );
}

interface TalkFiltersProps {
  search: TalkSearch;
  members: readonly string[];
  onChange: (changed: TalkSearch) => Promise<void>;
}

function TalkFilters({ search, members, onChange }: TalkFiltersProps) {
  return (
    <search className={styles.filters}>
      <FilterField
        label="Text in messages or title"
        maxLength={200}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <MemberFilter members={members} member={search.member} onChange={(member) => onChange({ member })} />
      <fieldset className={segments.segments}>
        <legend className="visually-hidden">Show</legend>
        {([undefined, 'archived'] as const).map((show) => (
          <button
            key={show ?? ''}
            type="button"
            className={segments.segment}
            aria-pressed={search.show === show}
            onClick={() => onChange({ show })}
          >
            {show ? 'Archived' : 'Current'}
          </button>
        ))}
      </fieldset>
    </search>
  );
}

function Groups({ groups }: { groups: readonly ConversationGroup[] }) {
  return (
    <div className="sections">
      {groups.map((group) => (
        <Section key={group.name} title={group.name} count={group.conversations.length}>
          <ConversationRows conversations={group.conversations} label={group.name} hidesPin={group.name === 'Pinned'} />
        </Section>
      ))}
    </div>
  );
}

interface NoConversationsProps {
  search: TalkSearch;
  /** A member to talk to. */
  member: string | undefined;
  onChange: (changed: TalkSearch) => void;
  onBegin: () => void;
}

/** Why no conversation is listed, and what to do about it. */
function NoConversations({ search, member, onChange, onBegin }: NoConversationsProps) {
  const isArchived = search.show === 'archived';
  if (search.q !== undefined || search.member !== undefined)
    return (
      <EmptyState
        action={<Button onClick={() => onChange({ q: undefined, member: undefined })}>Clear the filters</Button>}
      >
        No {isArchived ? 'archived' : 'current'} conversation matches these filters.
      </EmptyState>
    );
  if (isArchived)
    return (
      <EmptyState
        command="meshd conversations ls --archived"
        action={<Button onClick={() => onChange({ show: undefined })}>Show the current ones</Button>}
      >
        No archived conversations.
      </EmptyState>
    );
  return (
    <EmptyState
      command={`meshd talk ${member ?? 'developer'}`}
      action={<Button onClick={onBegin}>New conversation</Button>}
    >
      No conversations yet. Talk to a team member. It works in this project and asks before it uses a tool that needs
      permission.
    </EmptyState>
  );
}
