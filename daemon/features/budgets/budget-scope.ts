/** What a budget is about. `conversation` counts over its whole life, the others by the day. */
type BudgetScope = { kind: 'conversation'; conv: string } | { kind: 'member'; member: string } | { kind: 'day' };

export const DAY_SCOPE = 'day';
export const toConversationScope = (conv: string) => `conversation:${conv}`;
export const toMemberScope = (member: string) => `member:${member}`;

/** Parses the name of a scope. Returns undefined for one that is none. */
export function parseScope(scope: string): BudgetScope | undefined {
  if (scope === DAY_SCOPE) return { kind: 'day' };
  const colon = scope.indexOf(':');
  const [kind, id] = [scope.slice(0, colon), scope.slice(colon + 1)];
  if (colon < 1 || id === '') return undefined;
  if (kind === 'conversation') return { kind, conv: id };
  return kind === 'member' ? { kind, member: id } : undefined;
}

/** Whether what the scope has spent is forgotten at midnight. */
export const isDaily = (scope: string) => !scope.startsWith('conversation:');
