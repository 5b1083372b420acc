import { type Clock, systemClock } from '../../../lib/time/clock.js';

/** The system's clock for a command that waits for nothing else: its timers keep the process alive. */
export const heldClock: Clock = {
  ...systemClock,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
