import type { Clock } from '../../../../daemon/lib/time/clock.js';

/** Waits of at least this long follow the simulated time. Shorter ones are of connections and retries, and are real. */
const SIMULATED_MS = 600_000;

/** From `realMs` on, it is `simulatedMs`, until the next step. */
export interface Step {
  realMs: number;
  simulatedMs: number;
}

/**
 * The clock of the simulated week: its wall clock is moved in steps, the monotonic one is real. As the servers know
 * nothing of it, `simulate` says what time it was when a server took a message.
 */
export class WeekClock implements Clock {
  private readonly steps: Step[] = [];
  private waits: { atMs: number; run: () => void }[] = [];

  now(): number {
    return this.steps.at(-1)?.simulatedMs ?? 0;
  }

  elapsed(): number {
    return performance.now();
  }

  after(ms: number, run: () => void): () => void {
    if (ms < SIMULATED_MS) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    }
    const wait = { atMs: this.now() + ms, run };
    this.waits.push(wait);
    return () => {
      this.waits = this.waits.filter((other) => other !== wait);
    };
  }

  /** Begins a step. Waits that are over end. */
  begin(step: Step): void {
    this.steps.push(step);
    const due = this.waits.filter(({ atMs }) => atMs <= step.simulatedMs);
    this.waits = this.waits.filter((wait) => !due.includes(wait));
    for (const { run } of due) run();
  }

  /** The simulated time at a real one. */
  simulate(realMs: number): number {
    return (this.steps.findLast((step) => step.realMs <= realMs) ?? this.steps[0])?.simulatedMs ?? 0;
  }
}
