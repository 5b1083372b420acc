import { useSyncExternalStore } from 'react';
import { clockOf } from '../lib/shared-clock.js';
import { agoWords, clockWords, exactWords, tickingWords } from '../lib/time-words.js';

/** The present, renewed every `intervalMs`; standing still while the tab is hidden. */
export function useNow(intervalMs: number): number {
  const clock = clockOf(intervalMs);
  return useSyncExternalStore(clock.watch, clock.read, clock.read);
}

/** `3 min ago`; the whole moment on hover. */
export function Ago({ at }: { at: string }) {
  const now = useNow(10_000);
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={exactWords(then)}>
      {agoWords(then, Math.max(now, then))}
    </time>
  );
}

/** `14:02`, the logbook's gutter. */
export function Clock({ at }: { at: string }) {
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={exactWords(then)} className="mono">
      {clockWords(then)}
    </time>
  );
}

/** A clock that runs from `since`. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(1_000);
  return <span className="mono">{tickingWords(now - Date.parse(since))}</span>;
}
