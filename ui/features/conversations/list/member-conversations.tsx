import { Link, useNavigate } from '@tanstack/react-router';
import type { ConversationList } from '../../../../daemon/contract/conversations.js';
import type { Member } from '../../../../daemon/contract/team.js';
import { Button } from '../../../components/button.js';
import { Loaded } from '../../../components/loaded.js';
import { EmptyState } from '../../../components/notes.js';
import { Section } from '../../../components/section.js';
import { useToast } from '../../../components/toasts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { usePages } from '../../../lib/pages.js';
import { useConversationWith } from '../conversation-mutations.js';
import { conversationsQuery } from '../conversations-queries.js';
import { ConversationRows } from './conversation-list.js';

const listRows = (page: ConversationList) => page.conversations;

/** Opens a conversation with a member; for a singleton its only one. */
export function useTalkTo(): { talkTo: (member: string) => void; isOpening: boolean } {
  const navigate = useNavigate();
  const say = useToast();
  const { mutate, isPending } = useConversationWith();
  const talkTo = (member: string) =>
    mutate(member, {
      onSuccess: (conv) => void navigate({ to: '/talk/$conv', params: { conv } }),
      onError: (error) => say({ tone: 'failed', text: error.message }),
    });
  return { talkTo, isOpening: isPending };
}

export function TalkButton({ member, look = 'primary' }: { member: Member; look?: 'primary' | 'secondary' }) {
  const { talkTo, isOpening } = useTalkTo();
  return (
    <Button
      look={look}
      isBusy={isOpening}
      reasonDisabled={member.serving ? undefined : 'Its file cannot be read, and there is no earlier valid version.'}
      onClick={() => talkTo(member.id)}
    >
      Talk
    </Button>
  );
}

/** The conversations of one member, and a link to start another. */
export function MemberConversations({ member }: { member: Member }) {
  const { query: conversations, all } = usePages(conversationsQuery({ member: member.id }), listRows);
  return (
    <Section
      title="Current conversations"
      count={all.length}
      actions={
        <span className="cluster">
          <Link to="/talk" search={{ member: member.id, show: 'archived' }}>
            Archived ones
          </Link>
          <Link to="/talk" search={{ member: member.id, make: 'new' }}>
            New, with other settings
          </Link>
        </span>
      }
    >
      <Loaded query={conversations} what="The conversations could not be read.">
        {() =>
          all.length === 0 ? (
            <EmptyState action={<TalkButton member={member} look="secondary" />} command={`meshd talk ${member.id}`}>
              No conversation with {toDisplayText(member.name)} at the moment.
              {member.kind === 'singleton' && ' It has one conversation at a time.'}
            </EmptyState>
          ) : (
            <ConversationRows conversations={all} label="Current conversations" />
          )
        }
      </Loaded>
      {conversations.hasNextPage && (
        <p>
          <Button isSmall isBusy={conversations.isFetchingNextPage} onClick={() => void conversations.fetchNextPage()}>
            Show older
          </Button>
        </p>
      )}
    </Section>
  );
}
