import type { Clock } from '../../lib/clock.js';

/** Callers that hold a poll open until their request ends. */
export class AskWaits {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly clock: Clock) {}

  /** Resolves when the request is woken, `seconds` are up, or `signal` fires, whichever is first. */
  async until(requestId: string, seconds: number, signal: AbortSignal): Promise<void> {
    if (seconds <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const waiters = this.waiting.get(requestId) ?? new Set();
      this.waiting.set(requestId, waiters);
      const wake = () => {
        cancelTimer();
        signal.removeEventListener('abort', wake);
        waiters.delete(wake);
        if (waiters.size === 0) this.waiting.delete(requestId);
        resolve();
      };
      const cancelTimer = this.clock.after(seconds * 1000, wake);
      signal.addEventListener('abort', wake, { once: true });
      waiters.add(wake);
    });
  }

  wake(requestId: string): void {
    for (const wake of [...(this.waiting.get(requestId) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const requestId of [...this.waiting.keys()]) this.wake(requestId);
  }
}
