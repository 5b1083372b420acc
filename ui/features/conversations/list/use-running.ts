import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import { recentConversationsQuery } from '../conversations-queries.js';

/** Returns the conversations with a running turn, keyed by member. */
export function useRunning(): ReadonlyMap<string, readonly Conversation[]> {
  const { data } = useQuery(recentConversationsQuery());
  return useMemo(() => {
    const running = new Map<string, Conversation[]>();
    for (const conversation of data ?? []) {
      if (conversation.running === null || conversation.member === null) continue;
      running.set(conversation.member, [...(running.get(conversation.member) ?? []), conversation]);
    }
    return running;
  }, [data]);
}
