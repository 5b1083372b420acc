import type { Clock } from '../../lib/time/clock.js';

/** A limit on running time that is paused while the run waits for a person. */
export class RunLimit {
  private cancel: () => void = () => undefined;
  private leftMs: number;
  private since = 0;
  private pauses = 0;

  constructor(
    private readonly clock: Clock,
    limitMs: number,
    private readonly onOver: () => void,
  ) {
    this.leftMs = limitMs;
    this.arm();
  }

  pause(): void {
    this.pauses += 1;
    if (this.pauses > 1) return;
    this.cancel();
    this.leftMs -= this.clock.elapsed() - this.since;
  }

  resume(): void {
    this.pauses -= 1;
    if (this.pauses === 0) this.arm();
  }

  /** Disarms the limit permanently. */
  end(): void {
    this.cancel();
    this.pauses = Number.POSITIVE_INFINITY;
  }

  private arm(): void {
    this.since = this.clock.elapsed();
    this.cancel = this.clock.after(Math.max(0, this.leftMs), this.onOver);
  }
}
