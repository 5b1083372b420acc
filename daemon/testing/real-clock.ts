import { systemClock } from '../lib/clock.js';
import { FakeClock } from './fake-clock.js';

/** Real time, for tests whose other side is a program with a clock of its own; what is waited for is still events and answers. */
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
