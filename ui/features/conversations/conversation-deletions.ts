import { useQueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationDeleted } from '../../../daemon/contract/conversations.js';
import { call } from '../../lib/api.js';
import { type Deletion, useDeletion, useDeletions, useIsDeleted } from '../../lib/deletions.js';
import { conversationPath, conversationsKeys } from './conversations-queries.js';

/** Deletes a conversation with all that was said, once it cannot be undone any more. What runs in it runs until then. */
export function useDeleteConversation(): (conversation: Conversation) => void {
  const client = useQueryClient();
  const remove = useDeletion('conversation', async ({ conv }: Conversation) => {
    await call<ConversationDeleted>(conversationPath(conv), { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: conversationsKeys.lists });
  });
  return (conversation) => remove(conversation.conv, conversation.title, conversation);
}

/** The deletions of conversations that can still be undone, by conversation. */
export const useConversationDeletions = (): ReadonlyMap<string, Deletion> => useDeletions('conversation');

/** Whether it was deleted from this page. */
export const useIsConversationDeleted = (conv: string): boolean => useIsDeleted('conversation', conv);
