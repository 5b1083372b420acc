import { systemClock } from '../lib/time/clock.js';
import { FakeClock } from './fake-clock.js';

/**
 * Real time, for tests with another program that has its own clock. Such tests still wait for events and responses, not
 * for time.
 */
export class RealClock extends FakeClock {
  private shiftMs = 0;

  override now(): number {
    return systemClock.now() + this.shiftMs;
  }

  override elapsed(): number {
    return systemClock.elapsed();
  }

  override after(ms: number, run: () => void): () => void {
    return systemClock.after(ms, run);
  }

  override step(ms: number): void {
    this.shiftMs += ms;
  }
}
