import type { Clock } from '../../../lib/time/clock.js';

/** A limit on running time that is paused while the run waits for a person. */
export class RunLimit {
  private cancel: () => void = () => undefined;
  private leftMs: number;
  private since = 0;
  private pauses = 0;

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
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

  get isPaused(): boolean {
    return this.pauses > 0;
  }

  /** How long the run has run, without its pauses. */
  get ranMs(): number {
    const runningMs = this.pauses === 0 ? this.clock.elapsed() - this.since : 0;
    return Math.max(0, this.limitMs - this.leftMs + runningMs);
  }

  /** Disarms the limit permanently. */
  end(): void {
    this.cancel();
    if (this.pauses === 0) this.leftMs -= this.clock.elapsed() - this.since;
    this.pauses = Number.POSITIVE_INFINITY;
  }

  private arm(): void {
    this.since = this.clock.elapsed();
    this.cancel = this.clock.after(Math.max(0, this.leftMs), this.onOver);
  }
}
