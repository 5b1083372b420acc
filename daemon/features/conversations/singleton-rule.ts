import type { ConversationRow } from './conversations-store.js';

const byLastActivity = (one: ConversationRow, other: ConversationRow) =>
  other.updated_ms - one.updated_ms || other.seq - one.seq;

/**
 * Returns a singleton's current conversation: the most recently active one with a running turn, else the most recently
 * active one, else undefined.
 */
export function findOpenConversation(
  live: readonly ConversationRow[],
  isRunning: (conv: string) => boolean,
): ConversationRow | undefined {
  const sorted = [...live].sort(byLastActivity);
  return sorted.find(({ conv }) => isRunning(conv)) ?? sorted[0];
}
