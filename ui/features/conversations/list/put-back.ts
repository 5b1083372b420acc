import { useCallback } from 'react';
import { useChangeDraft } from '../../../lib/change-draft.js';
import { draftPlace, joinDrafts, typedSince } from '../composer/composer-draft.js';
import { escapeSlash } from '../composer/slash.js';

/** Returns a function that changes the current draft of a conversation, whether its composer is mounted or not. */
function useChangeTyped(conv: string): (change: (typed: string) => string) => void {
  const change = useChangeDraft<string>(draftPlace(conv));
  return useCallback((of) => change((typed = '') => of(typed) || undefined), [change]);
}

/** Returns a function that puts text back into the composer. Text that was a message never becomes a command. */
export function usePutBack(conv: string): (text: string) => void {
  const changeTyped = useChangeTyped(conv);
  return useCallback(
    (text) => changeTyped((typed) => joinDrafts(typed, typed.trim() === '' ? escapeSlash(text) : text)),
    [changeTyped],
  );
}

/** Returns a function that restores a failed command as it was typed, above what was typed since. */
export function useGiveBack(conv: string): (command: string) => void {
  const changeTyped = useChangeTyped(conv);
  return (command) => changeTyped((since) => (since.trim() === '' ? command : joinDrafts(command, since)));
}

/** Returns a function that removes a sent message from the composer and keeps what was typed since. */
export function useClearSentDraft(conv: string): (said: string) => void {
  const changeTyped = useChangeTyped(conv);
  return (sent) => changeTyped((typed) => typedSince(typed, sent));
}
