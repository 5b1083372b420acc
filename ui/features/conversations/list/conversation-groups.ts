import type { Conversation } from '../../../../daemon/contract/conversations.js';

export interface ConversationGroup {
  name: 'Pinned' | 'Today' | 'Yesterday' | 'The last 7 days' | 'Earlier';
  conversations: Conversation[];
}

const DAY_MS = 86_400_000;
const NAMES = ['Pinned', 'Today', 'Yesterday', 'The last 7 days', 'Earlier'] as const;

/**
 * Groups conversations: the pinned ones first, then by the day of their last change. Keeps the given order and leaves
 * out empty groups.
 */
export function groupConversations(conversations: readonly Conversation[], now: number): ConversationGroup[] {
  const today = new Date(now).setHours(0, 0, 0, 0);
  // Correct across a daylight saving change, where a day is 23 or 25 hours long.
  const yesterday = new Date(today - 1).setHours(0, 0, 0, 0);
  const groups = NAMES.map((name): ConversationGroup => ({ name, conversations: [] }));
  const getPlace = ({ pinned, updated_at }: Conversation): number => {
    const at = Date.parse(updated_at);
    if (pinned) return 0;
    return at >= today ? 1 : at >= yesterday ? 2 : at >= now - 7 * DAY_MS ? 3 : 4;
  };
  for (const conversation of conversations) groups[getPlace(conversation)]?.conversations.push(conversation);
  return groups.filter((group) => group.conversations.length > 0);
}
