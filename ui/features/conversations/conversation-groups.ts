import type { Conversation } from '../../../daemon/contract/conversations.js';

export interface ConversationGroup {
  name: 'Pinned' | 'Today' | 'Earlier';
  conversations: Conversation[];
}

/** Pinned ones, those of today, and the rest; each in the order given, empty groups left out. */
export function groupsOf(conversations: readonly Conversation[], now: number): ConversationGroup[] {
  const today = new Date(now).toDateString();
  const groups: ConversationGroup[] = [
    { name: 'Pinned', conversations: [] },
    { name: 'Today', conversations: [] },
    { name: 'Earlier', conversations: [] },
  ];
  for (const conversation of conversations) {
    const at = conversation.pinned ? 0 : new Date(conversation.updated_at).toDateString() === today ? 1 : 2;
    groups[at]?.conversations.push(conversation);
  }
  return groups.filter((group) => group.conversations.length > 0);
}
