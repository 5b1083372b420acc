import type { AskedTurnsStore } from '../conversations/asked-turns-store.js';
import type { TurnRow } from '../conversations/turns-store.js';
import { DAY_SCOPE, toConversationScope, toMemberScope } from './budget-scope.js';

export interface TurnScopesParts {
  asked: Pick<AskedTurnsStore, 'findAsking'>;
  /** Returns the member of a conversation: null without one, undefined when the conversation is gone. */
  findMember: (conv: string) => string | null | undefined;
}

/**
 * Returns the scopes for which a turn counts: its conversation, those of the turns that asked for it up to the
 * operator's own, its member, and the day.
 */
export function scopesOfTurn({ asked, findMember }: TurnScopesParts, { turn, conv }: Pick<TurnRow, 'turn' | 'conv'>) {
  const convs = new Set([conv]);
  let asking = asked.findAsking(turn);
  while (asking) {
    convs.add(asking.parent_conv);
    asking = asking.parent === null ? undefined : asked.findAsking(asking.parent);
  }
  const member = findMember(conv);
  return [
    ...[...convs].filter((one) => findMember(one) !== undefined).map(toConversationScope),
    ...(member ? [toMemberScope(member)] : []),
    DAY_SCOPE,
  ];
}
