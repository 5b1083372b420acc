import { useCallback, useContext } from 'react';
import { DraftsContext } from '../../lib/drafts.js';

/** Where what is typed in a conversation is kept. */
export const draftPlace = (conv: string) => `talk.${conv}`;

/** Both texts, the older one first; what is typed is never lost. */
export const joinedWords = (typed: string, back: string): string => (typed.trim() === '' ? back : `${typed.trimEnd()}\n\n${back}`);

/** Puts words back into the composer of a conversation, whether it is on screen or not. */
export function usePutBack(conv: string): (text: string) => void {
  const drafts = useContext(DraftsContext);
  return useCallback(
    (text) => drafts?.write(draftPlace(conv), joinedWords(drafts.read<string>(draftPlace(conv)) ?? '', text)),
    [drafts, conv],
  );
}
