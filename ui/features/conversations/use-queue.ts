import { useCallback } from 'react';
import type { Message } from '../../../daemon/contract/conversations.js';
import { useToast } from '../../components/toasts.js';
import { useDropMessage, useDropQueue } from './conversation-mutations.js';
import { usePutBack } from './list/put-back.js';

/** Actions on queued messages: remove one or all, each with an undo. */
export interface QueueActions {
  drop: (message: Message) => void;
  dropAll: (messages: readonly Message[]) => void;
  /** Removes all of them. Rejects with the daemon's error instead of showing it. */
  takeBack: (messages: readonly Message[]) => Promise<void>;
}

/**
 * Removed text can be put back into the composer. The daemon stores no documents, so those have to be attached again.
 */
export function useQueue(conv: string): QueueActions {
  const { mutate: dropOne } = useDropMessage(conv);
  const { mutateAsync: dropWhole } = useDropQueue(conv);
  const putBack = usePutBack(conv);
  const say = useToast();
  const dropped = useCallback(
    (messages: readonly Message[]) => {
      const undo = () => {
        putBack(messages.map(({ text }) => text).join('\n\n'));
        const docs = messages.flatMap(({ context_docs }) => context_docs);
        if (docs.length > 0) say({ text: `Attach ${docs.join(', ')} again: documents are not saved.` });
      };
      const text =
        messages.length === 1
          ? 'Removed. It was not sent.'
          : `${messages.length} messages removed. They were not sent.`;
      say({ text, action: { label: 'Undo', run: undo } });
    },
    [putBack, say],
  );
  const takeBack = useCallback(
    async (messages: readonly Message[]) => {
      const { turns } = await dropWhole();
      // A message whose turn started meanwhile was not removed.
      dropped(messages.filter(({ turn }) => turns.some((one) => one.turn === turn)));
    },
    [dropWhole, dropped],
  );
  const refused = useCallback(
    (error: Error) => say({ tone: 'failed', text: `It was not removed. ${error.message}` }),
    [say],
  );
  return {
    drop: useCallback(
      (message) => dropOne(message.id, { onSuccess: () => dropped([message]), onError: refused }),
      [dropOne, dropped, refused],
    ),
    dropAll: useCallback((messages) => void takeBack(messages).catch(refused), [takeBack, refused]),
    takeBack,
  };
}
