import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ConversationList } from '../../../daemon/contract/conversations.js';
import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import { PageHead, Section } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { groupConversations } from '../../features/conversations/conversation-groups.js';
import { ConversationRows } from '../../features/conversations/conversation-list.js';
import { conversationsQuery } from '../../features/conversations/conversations-queries.js';
import { NewConversationDialog } from '../../features/conversations/new-conversation-dialog.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { usePages } from '../../lib/pages.js';
import { useNow } from '../../lib/use-now.js';
import { usePageTitle } from '../page-title.js';
import { useCounts } from '../use-counts.js';
import styles from './talk-page.module.css';

const route = getRouteApi('/talk');
const listRows = (page: ConversationList) => page.conversations;

export function TalkPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/talk' });
  const team = useQuery(teamQuery()).data;
  const { needs } = useCounts();
  usePageTitle('Talk', needs.length);
  const now = useNow(60_000);
  const isArchived = search.show === 'archived';
  const filters = { member: search.member, q: search.q, archived: isArchived ? (true as const) : undefined };
  const { query: conversations, all } = usePages(conversationsQuery(filters), listRows);
  const groups = useMemo(() => groupConversations(all, now), [all, now]);
  const set = (changed: Partial<typeof search>) =>
    void navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false });
  const isFiltered = search.q !== undefined || search.member !== undefined;
  const begin = () => void navigate({ search: (was) => ({ ...was, make: 'new' as const }) });
  const members = [
    ...new Set([...(team?.members.map((member) => member.id) ?? []), ...(search.member ? [search.member] : [])]),
  ];
  return (
    <>
      <PageHead
        title="Talk"
        lede="Conversations with team members. Each turn ends with an answer or the reason for a failure."
        actions={
          <Button look="primary" onClick={begin}>
            <Icon name="plus" />
            New conversation
          </Button>
        }
      />
      <div className="stack">
        <search className={styles.filters}>
          <TextField
            label="Text in messages or title"
            type="search"
            data-filter=""
            enterKeyHint="search"
            maxLength={200}
            value={search.q ?? ''}
            onChange={(event) => set({ q: event.target.value || undefined })}
          />
          <SelectField
            label="Member"
            value={search.member ?? ''}
            options={[{ value: '', label: 'Any' }, ...members]}
            onChange={(event) => set({ member: event.target.value || undefined })}
          />
          <fieldset className={segments.segments}>
            <legend className="visually-hidden">Show</legend>
            {([undefined, 'archived'] as const).map((show) => (
              <button
                key={show ?? ''}
                type="button"
                className={segments.segment}
                aria-pressed={search.show === show}
                onClick={() => set({ show })}
              >
                {show ? 'Archived' : 'Current'}
              </button>
            ))}
          </fieldset>
        </search>
        <Loaded query={conversations} what="The conversations could not be read." rows={8}>
          {() =>
            all.length > 0 ? (
              <>
                <div className="sections">
                  {groups.map((group) => (
                    <Section key={group.name} title={group.name} count={group.conversations.length}>
                      <ConversationRows
                        conversations={group.conversations}
                        label={group.name}
                        hidesPin={group.name === 'Pinned'}
                      />
                    </Section>
                  ))}
                </div>
                <OlderRows query={conversations} shown={all.length} unit={['conversation', 'conversations']} />
              </>
            ) : isFiltered ? (
              <EmptyState
                action={<Button onClick={() => set({ q: undefined, member: undefined })}>Clear the filters</Button>}
              >
                No {isArchived ? 'archived' : 'current'} conversation matches these filters.
              </EmptyState>
            ) : isArchived ? (
              <EmptyState
                command="meshd conversations ls --archived"
                action={<Button onClick={() => set({ show: undefined })}>Show the current ones</Button>}
              >
                No archived conversations.
              </EmptyState>
            ) : (
              <EmptyState
                command={`meshd talk ${search.member ?? members[0] ?? 'developer'}`}
                action={<Button onClick={begin}>New conversation</Button>}
              >
                No conversations yet. Talk to a team member. It works in this project and asks before it uses a tool
                that needs permission.
              </EmptyState>
            )
          }
        </Loaded>
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
