import { useSyncExternalStore } from 'react';
import { getSharedClock } from './shared-clock.js';

/**
 * Returns the current time in epoch milliseconds, updated every `intervalMs`. It does not advance while the tab is
 * hidden.
 */
export function useNow(intervalMs: number): number {
  const clock = getSharedClock(intervalMs);
  return useSyncExternalStore(clock.watch, clock.read, clock.read);
}
