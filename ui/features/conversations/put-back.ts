import { useCallback, useContext } from 'react';
import { DraftsContext } from '../../lib/drafts.js';
import { draftPlace, joinedWords, typedSince } from './composer-draft.js';
import { asTyped } from './slash.js';

/** Changes what is typed in the composer of a conversation as it is now, whether it is on screen or not. */
function useChangeTyped(conv: string): (change: (typed: string) => string) => void {
  const drafts = useContext(DraftsContext);
  return useCallback(
    (change) => {
      const place = draftPlace(conv);
      drafts?.write(place, change(drafts.read<string>(place) ?? '') || undefined);
    },
    [drafts, conv],
  );
}

/** Puts words back into the composer. What was said never becomes a command. */
export function usePutBack(conv: string): (text: string) => void {
  const changeTyped = useChangeTyped(conv);
  return useCallback(
    (text) => changeTyped((typed) => joinedWords(typed, typed.trim() === '' ? asTyped(text) : text)),
    [changeTyped],
  );
}

/** Gives back a command that was refused as it was typed, above what was typed since. */
export function useGiveBack(conv: string): (command: string) => void {
  const changeTyped = useChangeTyped(conv);
  return (command) => changeTyped((since) => (since.trim() === '' ? command : joinedWords(command, since)));
}

/** Takes what was said out of the composer; what was typed meanwhile stays. */
export function useTakeSaid(conv: string): (said: string) => void {
  const changeTyped = useChangeTyped(conv);
  return (said) => changeTyped((typed) => typedSince(typed, said));
}
