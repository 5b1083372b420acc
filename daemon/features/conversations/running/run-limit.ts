import type { Clock } from '../../../lib/time/clock.js';

/**
 * The longest time that counts at once. What took longer was a sleep of the machine: on a Mac timers go on meanwhile.
 */
const SLICE_MS = 10_000;

/** A limit on running time that is paused while the run waits for a person, and while the machine sleeps. */
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
    this.leftMs -= this.sinceMs;
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
    const runningMs = this.pauses === 0 ? this.sinceMs : 0;
    return Math.max(0, this.limitMs - this.leftMs + runningMs);
  }

  /** Disarms the limit permanently. */
  end(): void {
    this.cancel();
    if (this.pauses === 0) this.leftMs -= this.sinceMs;
    this.pauses = Number.POSITIVE_INFINITY;
  }

  private arm(): void {
    this.since = this.clock.elapsed();
    const sliceMs = Math.min(Math.max(0, this.leftMs), SLICE_MS);
    this.cancel = this.clock.after(sliceMs, () => {
      this.leftMs -= sliceMs;
      this.since = this.clock.elapsed();
      if (this.leftMs > 0) this.arm();
      else this.onOver();
    });
  }

  private get sinceMs(): number {
    return Math.min(this.clock.elapsed() - this.since, SLICE_MS);
  }
}
