import type { Clock } from '../time/clock.js';

/** Long polls: callers wait here until the requested entity changes. */
export class KeyedWaiters {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly clock: Clock) {}

  /** The number of entities that callers wait for. */
  get size(): number {
    return this.waiting.size;
  }

  /** Resolves when `id` is woken, after `seconds`, or when `signal` aborts, whichever is first. */
  async until(id: string, seconds: number, signal: AbortSignal): Promise<void> {
    if (seconds <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const waiters = this.waiting.get(id) ?? new Set();
      this.waiting.set(id, waiters);
      const wake = () => {
        cancelTimer();
        signal.removeEventListener('abort', wake);
        waiters.delete(wake);
        if (waiters.size === 0) this.waiting.delete(id);
        resolve();
      };
      const cancelTimer = this.clock.after(seconds * 1000, wake);
      signal.addEventListener('abort', wake);
      waiters.add(wake);
    });
  }

  wake(id: string): void {
    for (const wake of [...(this.waiting.get(id) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const id of [...this.waiting.keys()]) this.wake(id);
  }
}
