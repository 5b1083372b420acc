import { useEffect } from 'react';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import { usePatchConversation } from '../conversation-mutations.js';

/** Marks the conversation as read up to the newest message while its end is in view in a visible tab. */
export function useReading({ conv, unread }: Conversation, newest: string | undefined, isAtEnd: boolean): void {
  const { mutate } = usePatchConversation(conv);
  useEffect(() => {
    if (unread === 0 || newest === undefined || !isAtEnd) return;
    const look = () => {
      if (document.visibilityState === 'visible') mutate({ read: newest });
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [unread, newest, isAtEnd, mutate]);
}
