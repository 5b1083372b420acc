import type { Conversation } from '../../../daemon/contract/conversations.js';

export interface ConversationGroup {
  name: 'Pinned' | 'Today' | 'Yesterday' | 'The last 7 days' | 'Earlier';
  conversations: Conversation[];
}

const DAY_MS = 86_400_000;
const NAMES = ['Pinned', 'Today', 'Yesterday', 'The last 7 days', 'Earlier'] as const;

/** Pinned ones, then by the day of the newest change; each in the order given, empty groups left out. */
export function groupsOf(conversations: readonly Conversation[], now: number): ConversationGroup[] {
  const today = new Date(now).setHours(0, 0, 0, 0);
  // The day before one that began an hour earlier or later than usual still ends at its midnight.
  const yesterday = new Date(today - 1).setHours(0, 0, 0, 0);
  const groups = NAMES.map((name): ConversationGroup => ({ name, conversations: [] }));
  const placeOf = ({ pinned, updated_at }: Conversation): number => {
    const at = Date.parse(updated_at);
    if (pinned) return 0;
    return at >= today ? 1 : at >= yesterday ? 2 : at >= now - 7 * DAY_MS ? 3 : 4;
  };
  for (const conversation of conversations) groups[placeOf(conversation)]?.conversations.push(conversation);
  return groups.filter((group) => group.conversations.length > 0);
}
