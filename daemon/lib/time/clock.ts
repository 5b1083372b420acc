/**
 * The daemon's source of time. `now` is the wall clock in epoch milliseconds, for records and expiry. `elapsed` is
 * monotonic milliseconds, for durations and rate limits. `after` runs a callback once after `ms` milliseconds and
 * returns a function that cancels it.
 */
export interface Clock {
  now(): number;
  elapsed(): number;
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

type Timers = Pick<Clock, 'after'>;

/** Calls `run` every `ms` milliseconds, first after one interval. Returns a function that cancels it. */
export function every(clock: Timers, ms: number, run: () => void): () => void {
  let cancel: () => void = () => undefined;
  const arm = () => {
    // Armed first, so that an exception in `run` does not end the interval.
    cancel = clock.after(ms, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
}

/** Resolves after `ms` milliseconds or when `signal` aborts, whichever is first. */
export function sleep(clock: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    signal?.addEventListener('abort', wake);
  });
}

/** ISO 8601 UTC with milliseconds, the format of team, conversation and request records. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The time in UTC, to the second, as part of a file name: `20261122T113600Z`. */
export function fileStamp(epochMs: number): string {
  return isoTime(epochMs).replaceAll(/[-:]|\.\d+/g, '');
}
