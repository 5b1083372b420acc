import type { Clock } from '../lib/time/clock.js';

/**
 * A clock that a test moves: `advance` moves wall time and monotonic time and runs the timers that are due, in order.
 */
export class FakeClock implements Clock {
  private monotonic = 0;
  private timers: { at: number; run: () => void }[] = [];

  constructor(private wall = Date.UTC(2026, 10, 21, 12, 0, 0)) {}

  now(): number {
    return this.wall;
  }

  elapsed(): number {
    return this.monotonic;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.monotonic + ms, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** The number of timers that have neither run nor been cancelled. */
  get pending(): number {
    return this.timers.length;
  }

  advance(ms: number): void {
    const end = this.monotonic + ms;
    for (;;) {
      let due: (typeof this.timers)[number] | undefined;
      // Not sorted: a day of a daemon is tens of thousands of rounds.
      for (const timer of this.timers) if (timer.at <= end && (!due || timer.at < due.at)) due = timer;
      if (!due) break;
      this.timers.splice(this.timers.indexOf(due), 1);
      this.wall += due.at - this.monotonic;
      this.monotonic = due.at;
      due.run();
    }
    this.wall += end - this.monotonic;
    this.monotonic = end;
  }

  /** Moves only the wall clock, as an operator or a time server would. */
  step(ms: number): void {
    this.wall += ms;
  }
}
