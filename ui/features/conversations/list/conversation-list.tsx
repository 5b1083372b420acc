import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import { DeletionRow } from '../../../components/pending-deletion.js';
import rows from '../../../components/rows.module.css';
import { isOpen } from '../../team/is-open.js';
import { teamQuery } from '../../team/team-queries.js';
import { useConversationDeletions } from './conversation-deletions.js';
import { ConversationRow } from './conversation-row.js';

/** Conversations as rows, each with its member's name and whether that is exposed. */
export function ConversationRows({
  conversations,
  label,
  hidesPin = false,
}: {
  conversations: readonly Conversation[];
  label: string;
  hidesPin?: boolean;
}) {
  const team = useQuery(teamQuery()).data;
  const deletions = useConversationDeletions();
  const roster = useMemo(() => new Map((team?.members ?? []).map((member) => [member.id, member])), [team]);
  return (
    <ul className={rows.rows} aria-label={label}>
      {conversations.map((conversation) => {
        const member = conversation.member === null ? undefined : roster.get(conversation.member);
        const deletion = deletions.get(conversation.conv);
        return deletion ? (
          <DeletionRow key={conversation.conv} deletion={deletion} />
        ) : (
          <ConversationRow
            key={conversation.conv}
            conversation={conversation}
            name={member?.name ?? conversation.member ?? `${conversation.agent_type} agent`}
            isExposed={member !== undefined && isOpen(member)}
            hidesPin={hidesPin}
          />
        );
      })}
    </ul>
  );
}
