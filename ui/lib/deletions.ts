import { useMutation, useMutationState } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useToast } from '../components/toasts.js';

/** How long a deletion can be undone, in milliseconds. The request to the daemon is sent only after that. */
export const UNDO_MS = 10_000;

/** A pending deletion and the controller that cancels it. */
export interface Deletion {
  /** Id of what is deleted. */
  of: string;
  title: string;
  /** When the deletion is carried out, in epoch milliseconds. */
  at: number;
  calledOff: DeletionCancel;
}

/** Cancels a deletion, and records whether its cancel button has received the focus. */
export class DeletionCancel extends AbortController {
  hadFocus = false;
}

/**
 * Returns a ref callback that focuses the first cancel button rendered for the deletion, once. The button that had the
 * focus before was removed with the row.
 */
export const takesFocusOnce =
  ({ calledOff }: Deletion) =>
  (button: HTMLElement | null): void => {
    if (!button || calledOff.hadFocus) return;
    calledOff.hadFocus = true;
    button.focus();
  };

/**
 * Resolves with true after `ms` milliseconds, or at once on `pagehide`; resolves with false when it is cancelled first.
 */
export function waited(ms: number, { signal }: DeletionCancel): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isLeft: boolean) => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', leave);
      signal.removeEventListener('abort', callOff);
      resolve(isLeft);
    };
    const leave = () => end(true);
    const callOff = () => end(false);
    const timer = setTimeout(leave, ms);
    window.addEventListener('pagehide', leave);
    signal.addEventListener('abort', callOff);
  });
}

/**
 * Returns a function that deletes something of `kind` after `UNDO_MS`, on whichever page the user is by then, or on
 * `pagehide`. If the tab dies before the request is sent, nothing is deleted and the item is shown again.
 */
export function useDeletion<T>(
  kind: string,
  carryOut: (what: T) => Promise<unknown>,
): (of: string, title: string, what: T) => void {
  const say = useToast();
  const { mutate } = useMutation({
    mutationKey: ['delete', kind],
    mutationFn: async ({ calledOff, what }: Deletion & { what: T }) => {
      if (!(await waited(UNDO_MS, calledOff))) return false;
      await carryOut(what);
      return true;
    },
    onError: ({ message }, { title }) => say({ text: `“${title}” was not deleted. ${message}`, tone: 'failed' }),
  });
  return useCallback(
    (of, title, what) => mutate({ of, title, what, at: Date.now() + UNDO_MS, calledOff: new DeletionCancel() }),
    [mutate],
  );
}

/** Returns the deletions of `kind` that can still be undone, keyed by the id of what they delete. */
export function useDeletions(kind: string): ReadonlyMap<string, Deletion> {
  const pending = useMutationState({
    filters: { mutationKey: ['delete', kind], status: 'pending' },
    select: ({ state }) => state.variables as Deletion,
  });
  return new Map(pending.map((deletion) => [deletion.of, deletion]));
}

/** Reports whether this tab has deleted the item and the daemon has confirmed it. */
export const useIsDeleted = (kind: string, of: string): boolean =>
  useMutationState({
    filters: { mutationKey: ['delete', kind], status: 'success' },
    select: ({ state }) => state.data === true && (state.variables as Deletion).of === of,
  }).includes(true);
