import { useCallback } from 'react';
import type { Message } from '../../../daemon/contract/conversations.js';
import { useToast } from '../../components/toasts.js';
import { useDropMessage, useDropQueue } from './conversation-mutations.js';
import { usePutBack } from './put-back.js';

/** What can be done with messages that wait: take back one or all of them, each with a way to have the words again. */
export interface QueueActs {
  drop: (message: Message) => void;
  dropAll: (messages: readonly Message[]) => void;
  /** All of it, rejecting with the daemon's refusal instead of saying it. */
  takeBack: (messages: readonly Message[]) => Promise<void>;
}

/** Dropped words can be put back into the composer: the daemon keeps no documents, so these have to be attached again. */
export function useQueue(conv: string): QueueActs {
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
      // What began meanwhile was said.
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
