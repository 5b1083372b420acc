import type { Clock } from '../time/clock.js';

/** Returns what `work` resolves to, or undefined when it takes longer than `ms`. Rejects as `work` does before that. */
export async function within<Value>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<Value>,
): Promise<Value | undefined> {
  let cancel: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
