import { useMutation, useMutationState } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useToast } from '../components/toasts.js';

/** How long a deletion can be undone: the daemon is told only then. */
export const UNDO_MS = 10_000;

/** A deletion that waits, and what calls it off. */
export interface Deletion {
  /** Of what: its id. */
  of: string;
  title: string;
  /** When it is carried out, epoch milliseconds. */
  at: number;
  calledOff: CallOff;
}

/** What calls a deletion off, and whether the focus has been on it. */
export class CallOff extends AbortController {
  hadFocus = false;
}

/** Gives the focus to the first button that is drawn for calling a deletion off, however late: the one that was pressed is gone. */
export const takesFocusOnce =
  ({ calledOff }: Deletion) =>
  (button: HTMLElement | null): void => {
    if (!button || calledOff.hadFocus) return;
    calledOff.hadFocus = true;
    button.focus();
  };

/** Ends after `ms`, or at once when the page goes; false when it was called off meanwhile. */
export function waited(ms: number, { signal }: CallOff): Promise<boolean> {
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
 * Deletes one of a kind ten seconds after the word, wherever in the dashboard one is by then, or when the page goes: what dies with its page before was not
 * deleted, and is there again.
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
    onError: (_error, { title }) => say({ text: `“${title}” was not deleted.`, tone: 'failed' }),
  });
  return useCallback(
    (of, title, what) => mutate({ of, title, what, at: Date.now() + UNDO_MS, calledOff: new CallOff() }),
    [mutate],
  );
}

/** The deletions of a kind that can still be undone, by what they delete. */
export function useDeletions(kind: string): ReadonlyMap<string, Deletion> {
  const pending = useMutationState({
    filters: { mutationKey: ['delete', kind], status: 'pending' },
    select: ({ state }) => state.variables as Deletion,
  });
  return new Map(pending.map((deletion) => [deletion.of, deletion]));
}

/** Whether this page has deleted it, and the daemon has said so. */
export const useIsDeleted = (kind: string, of: string): boolean =>
  useMutationState({
    filters: { mutationKey: ['delete', kind], status: 'success' },
    select: ({ state }) => state.data === true && (state.variables as Deletion).of === of,
  }).includes(true);
