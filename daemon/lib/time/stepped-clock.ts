import type { Clock } from './clock.js';

interface Timer {
  dueMs: number;
  run: () => void;
  cancel: () => void;
}

/**
 * A clock that follows `base` and can be advanced: `step` moves both of its times at once, and the timers that become
 * due run next, in order.
 */
export class SteppedClock implements Clock {
  private aheadMs = 0;
  private readonly timers = new Set<Timer>();

  constructor(private readonly base: Clock) {}

  now(): number {
    return this.base.now() + this.aheadMs;
  }

  elapsed(): number {
    return this.base.elapsed() + this.aheadMs;
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { dueMs: this.elapsed() + ms, run, cancel: () => undefined };
    this.arm(timer);
    return () => {
      timer.cancel();
      this.timers.delete(timer);
    };
  }

  step(ms: number): void {
    this.aheadMs += ms;
    for (const timer of [...this.timers].sort((a, b) => a.dueMs - b.dueMs)) {
      timer.cancel();
      this.arm(timer);
    }
  }

  private arm(timer: Timer): void {
    this.timers.add(timer);
    timer.cancel = this.base.after(Math.max(0, timer.dueMs - this.elapsed()), () => {
      this.timers.delete(timer);
      timer.run();
    });
  }
}
