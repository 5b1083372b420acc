import { useSyncExternalStore } from 'react';

let command: string | undefined;
const watchers = new Set<() => void>();
const watch = (notify: () => void) => {
  watchers.add(notify);
  return () => watchers.delete(notify);
};

/** Sets that the daemon does not answer, with the command that starts it; undefined once it does. */
export function setDaemonGone(start: string | undefined): void {
  command = start;
  for (const notify of watchers) notify();
}

/** Returns the command that starts the daemon while it does not answer, otherwise undefined. */
export const useDaemonGone = (): string | undefined => useSyncExternalStore(watch, () => command);
