import { useSyncExternalStore } from 'react';
import { clockOf } from './shared-clock.js';

/** The present, renewed every `intervalMs`; standing still while the tab is hidden. */
export function useNow(intervalMs: number): number {
  const clock = clockOf(intervalMs);
  return useSyncExternalStore(clock.watch, clock.read, clock.read);
}
