import type { ConversationRow } from './conversations-store.js';

const byLastActivity = (one: ConversationRow, other: ConversationRow) =>
  other.updated_ms - one.updated_ms || other.seq - one.seq;

/**
 * Which of a singleton's live conversations it lives in: the most recently active one in which a turn runs, else the most recently active one;
 * undefined when there is none.
 */
export function homeOf(
  live: readonly ConversationRow[],
  isRunning: (conv: string) => boolean,
): ConversationRow | undefined {
  const sorted = [...live].sort(byLastActivity);
  return sorted.find(({ conv }) => isRunning(conv)) ?? sorted[0];
}
