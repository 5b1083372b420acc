import { useCallback, useContext } from 'react';
import { DraftsContext } from '../../lib/drafts.js';
import { draftPlace, joinedWords, typedSince } from './composer-draft.js';
import { asTyped } from './slash.js';

/** Puts words back into the composer of a conversation, whether it is on screen or not. What was said never becomes a command. */
export function usePutBack(conv: string): (text: string) => void {
  const drafts = useContext(DraftsContext);
  return useCallback(
    (text) => {
      const typed = drafts?.read<string>(draftPlace(conv)) ?? '';
      drafts?.write(draftPlace(conv), joinedWords(typed, typed.trim() === '' ? asTyped(text) : text));
    },
    [drafts, conv],
  );
}

/** Gives back a command that was refused as it was typed, above what was typed since. */
export function useGiveBack(conv: string): (command: string) => void {
  const drafts = useContext(DraftsContext);
  return (command) => {
    const since = drafts?.read<string>(draftPlace(conv)) ?? '';
    drafts?.write(draftPlace(conv), since.trim() === '' ? command : joinedWords(command, since));
  };
}

/** Takes what was said out of the composer; what was typed meanwhile stays. */
export function useTakeSaid(conv: string): (said: string) => void {
  const drafts = useContext(DraftsContext);
  return (said) => {
    const since = typedSince(drafts?.read<string>(draftPlace(conv)) ?? '', said);
    drafts?.write(draftPlace(conv), since === '' ? undefined : since);
  };
}
