import { useQueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationDeleted } from '../../../../daemon/contract/conversations.js';
import { call } from '../../../lib/api.js';
import { type Deletion, useDeletion, useDeletions, useIsDeleted } from '../../../lib/deletions.js';
import { conversationPath, conversationsKeys } from '../conversations-queries.js';

/**
 * Returns a function that deletes a conversation with all its messages once the undo period is over. A running turn
 * continues until then.
 */
export function useDeleteConversation(): (conversation: Conversation) => void {
  const client = useQueryClient();
  const remove = useDeletion('conversation', async ({ conv }: Conversation) => {
    await call<ConversationDeleted>(conversationPath(conv), { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: conversationsKeys.lists });
  });
  return (conversation) => remove(conversation.conv, conversation.title, conversation);
}

/** Returns the conversation deletions that can still be undone, keyed by conversation. */
export const useConversationDeletions = (): ReadonlyMap<string, Deletion> => useDeletions('conversation');

/** Reports whether the conversation was deleted from this page. */
export const useIsConversationDeleted = (conv: string): boolean => useIsDeleted('conversation', conv);
