import { useCallback, useContext } from 'react';
import { DraftsContext } from './drafts.js';

/**
 * Returns a function that changes the draft at `place` as it is by then, whether its form is still there or not.
 * Without a result there is no draft any more.
 */
export function useChangeDraft<T>(place: string): (change: (now: T | undefined) => T | undefined) => void {
  const drafts = useContext(DraftsContext);
  return useCallback((change) => drafts?.write(place, change(drafts.read<T>(place))), [drafts, place]);
}

/** Drops what was sent, unless something was typed since. */
export const dropSent =
  <T>(sent: T) =>
  (now: T | undefined): T | undefined =>
    now === sent ? undefined : now;

/** Drops the draft of a file whose `text` was saved. What was typed since stays, as a change of the saved file. */
export const dropSaved =
  <T extends { text: string; revision: unknown }>(text: string, revision: T['revision']) =>
  (now: T | undefined): T | undefined =>
    now && now.text !== text ? { ...now, revision } : undefined;
