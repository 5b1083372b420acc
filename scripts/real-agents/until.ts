import { setTimeout as pause } from 'node:timers/promises';

/** Three tasks of a queue take four runs of an agent, each some ten seconds on a busy machine. */
const WAIT_MS = 4 * 60_000;

/** Looks until `isIt` holds, for four minutes at most, and returns what it saw last. */
export async function until<Value>(look: () => Promise<Value>, isIt: (value: Value) => boolean): Promise<Value> {
  for (const endMs = performance.now() + WAIT_MS; ; await pause(100)) {
    const value = await look();
    if (isIt(value) || performance.now() > endMs) return value;
  }
}
