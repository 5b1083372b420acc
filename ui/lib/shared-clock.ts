/**
 * A clock shared by everything that updates at one interval: a thousand rows use one timer and render together. It
 * stops while the tab is hidden or nothing watches it.
 */
class SharedClock {
  private now = Date.now();
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly watchers = new Set<() => void>();

  constructor(private readonly everyMs: number) {}

  readonly read = () => {
    if (this.watchers.size === 0 && Date.now() - this.now >= this.everyMs) this.now = Date.now();
    return this.now;
  };

  readonly watch = (notify: () => void) => {
    if (this.watchers.size === 0) this.start();
    this.watchers.add(notify);
    return () => {
      this.watchers.delete(notify);
      if (this.watchers.size === 0) this.stop();
    };
  };

  private readonly tick = () => {
    if (document.visibilityState !== 'visible') return;
    this.now = Date.now();
    for (const notify of this.watchers) notify();
  };

  private start(): void {
    this.timer = setInterval(this.tick, this.everyMs);
    document.addEventListener('visibilitychange', this.tick);
  }

  private stop(): void {
    clearInterval(this.timer);
    document.removeEventListener('visibilitychange', this.tick);
  }
}

const clocks = new Map<number, SharedClock>();

export function getSharedClock(everyMs: number): SharedClock {
  const clock = clocks.get(everyMs) ?? new SharedClock(everyMs);
  clocks.set(everyMs, clock);
  return clock;
}
