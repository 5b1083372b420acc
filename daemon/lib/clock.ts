/**
 * Time as the daemon sees it. `now` is the wall clock in epoch milliseconds, for records and expiry; `elapsed` is monotonic
 * milliseconds, for durations and rate limits. `after` runs once later and returns how to call it off.
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

/** Runs `run` every `ms` milliseconds, the first time after one of them; returns how to call it off. */
export function every(clock: Timers, ms: number, run: () => void): () => void {
  let cancel: () => void = () => undefined;
  const arm = () => {
    // Armed first, so that what `run` throws does not end it.
    cancel = clock.after(ms, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
}

/** Resolves after `ms`, or as soon as `signal` fires. */
export function sleep(clock: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

/** ISO 8601 UTC with milliseconds, as team, conversation and request records carry it. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The second as a part of a file's name, in UTC: `20261122T113600Z`. */
export function fileStamp(epochMs: number): string {
  return isoTime(epochMs).replaceAll(/[-:]|\.\d+/g, '');
}
