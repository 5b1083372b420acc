import { setTimeout as pause } from 'node:timers/promises';

const WAIT_MS = 60_000;

/** Looks until `isIt` holds, for a minute at most, and returns what it saw last. */
export async function until<Value>(look: () => Promise<Value>, isIt: (value: Value) => boolean): Promise<Value> {
  for (const endMs = performance.now() + WAIT_MS; ; await pause(100)) {
    const value = await look();
    if (isIt(value) || performance.now() > endMs) return value;
  }
}
