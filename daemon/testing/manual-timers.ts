/** Timers of a browser that a test moves: their clock, and random numbers that are always 1. */
export class ManualTimers {
  private at = 1_000_000;
  private due: { when: number; run: () => void }[] = [];
  now = () => this.at;
  random = () => 1;
  setTimeout = (run: () => void, ms: number) => {
    const timer = { when: this.at + ms, run };
    this.due.push(timer);
    return timer;
  };
  clearTimeout = (timer: unknown) => {
    this.due = this.due.filter((other) => other !== timer);
  };

  /** Runs the timers that are due in the next `ms` milliseconds, each at its time. */
  advance(ms: number): void {
    const end = this.at + ms;
    for (;;) {
      const next = this.due.filter((timer) => timer.when <= end).sort((a, b) => a.when - b.when)[0];
      if (!next) break;
      this.clearTimeout(next);
      this.at = next.when;
      next.run();
    }
    this.at = end;
  }

  /** Moves the clock by `ms` milliseconds at once, as for a tab that slept, and then runs the timers that are due. */
  sleep(ms: number): void {
    this.at += ms;
    for (const timer of this.due.filter(({ when }) => when <= this.at)) {
      this.clearTimeout(timer);
      timer.run();
    }
  }
}
