import { useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect, useRef } from 'react';
import { call } from '../../../lib/api.js';
import { DraftsContext } from '../../../lib/drafts.js';
import { draftPlace } from '../composer/composer-draft.js';
import { conversationPath, conversationsKeys } from '../conversations-queries.js';

/** Conversations that this tab created and changed nothing in since. Those of other programs are never among them. */
const unused = new Set<string>();

export const noteCreated = (conv: string): void => void unused.add(conv);
export const noteUsed = (conv: string): void => void unused.delete(conv);

/** Deletes the conversation when its page is left and it was only opened: nothing said, changed or typed. */
export function useDeleteUnused(conv: string): void {
  const client = useQueryClient();
  const drafts = useContext(DraftsContext);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    clearTimeout(leaving.current);
    return () => {
      // Not at once: development mode mounts each page twice.
      leaving.current = setTimeout(() => {
        const typed = drafts?.read<string>(draftPlace(conv)) ?? '';
        if (!unused.has(conv) || typed.trim() !== '') return;
        unused.delete(conv);
        // A failure leaves an empty conversation, which the next talk with the member takes up.
        void call(conversationPath(conv), { method: 'DELETE' })
          .then(() => client.invalidateQueries({ queryKey: conversationsKeys.lists }))
          .catch(() => undefined);
      });
    };
  }, [client, conv, drafts]);
}
