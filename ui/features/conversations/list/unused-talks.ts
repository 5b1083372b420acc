import { useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect, useRef } from 'react';
import type { Conversation, ConversationDeleted, NewConversation } from '../../../../daemon/contract/conversations.js';
import { ApiError, call } from '../../../lib/api.js';
import { DraftsContext } from '../../../lib/drafts.js';
import { getStorage } from '../../../lib/storage/browser-storage.js';
import { docsPlace, draftPlace } from '../composer/composer-draft.js';
import { conversationPath, conversationsKeys } from '../conversations-queries.js';

/**
 * Conversations that this tab created and changed nothing in since, with how they were created. Those of other programs
 * are never among them.
 */
const unused = new Map<string, NewConversation>();

export const noteUsed = (conv: string): void => void unused.delete(conv);

/** The daemon refuses when somebody said something in it meanwhile. */
const drop = (conv: string) =>
  call<ConversationDeleted>(`${conversationPath(conv)}?only_empty=true`, { method: 'DELETE' });

/** Where a tab that is closed or reloaded keeps how the conversation was created. */
const place = (conv: string) => `meshd.unused.${conv}`;

/** A reload ends the page as closing the tab does. */
function keepCreation(conv: string, how: NewConversation): void {
  try {
    getStorage('sessionStorage').setItem(place(conv), JSON.stringify(how));
  } catch {
    // A full storage: a reloaded tab says that the conversation is gone.
  }
}

function takeCreation(conv: string): NewConversation | undefined {
  try {
    const storage = getStorage('sessionStorage');
    const text = storage.getItem(place(conv));
    storage.removeItem(place(conv));
    return text === null ? undefined : (JSON.parse(text) as NewConversation);
  } catch {
    return undefined;
  }
}

/**
 * Deletes the conversation when its page or its tab is left and it was only opened: nothing said, changed, typed or
 * attached. A tab that is reloaded gets another one like it: `onAgain` is called with its id.
 */
export function useDeleteUnused(conv: string, error: unknown, onAgain: (conv: string) => void): void {
  const client = useQueryClient();
  const drafts = useContext(DraftsContext);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    clearTimeout(leaving.current);
    const take = () => {
      const how = unused.get(conv);
      const typed = drafts?.read<string>(draftPlace(conv)) ?? '';
      if (how === undefined || typed.trim() !== '' || drafts?.read(docsPlace(conv))) return;
      unused.delete(conv);
      return how;
    };
    const closeTab = () => {
      const how = take();
      if (!how) return;
      keepCreation(conv, how);
      drop(conv).catch(() => undefined);
    };
    window.addEventListener('pagehide', closeTab);
    return () => {
      window.removeEventListener('pagehide', closeTab);
      // Not at once: development mode mounts each page twice.
      leaving.current = setTimeout(() => {
        // A failure leaves an empty conversation, which the next talk with the member takes up.
        if (take())
          drop(conv)
            .then(() => client.invalidateQueries({ queryKey: conversationsKeys.lists }))
            .catch(() => undefined);
      });
    };
  }, [client, conv, drafts]);

  const isGone = error instanceof ApiError && error.status === 404;
  const again = useRef(onAgain);
  again.current = onAgain;
  useEffect(() => {
    const how = isGone ? takeCreation(conv) : undefined;
    if (how)
      createTalk(how).then(
        ({ conv }) => again.current(conv),
        () => undefined,
      );
  }, [conv, isGone]);
}

/** Creates a conversation that is deleted when it is left unused. */
export async function createTalk(how: NewConversation): Promise<Conversation> {
  const created = await call<Conversation>('/conversations', { method: 'POST', body: how });
  unused.set(created.conv, how);
  return created;
}
