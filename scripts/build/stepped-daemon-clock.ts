import { type Clock, systemClock } from '../../daemon/lib/time/clock.js';
import { SteppedClock } from '../../daemon/lib/time/stepped-clock.js';

const OPTION = '--test-clock';

/**
 * Removes `--test-clock <seconds>` from the arguments before the daemon reads them. Each SIGUSR2 moves the clock ahead
 * by that many seconds.
 */
function takeClock(): Clock {
  const at = process.argv.indexOf(OPTION);
  if (at === -1) return systemClock;
  const [, text = ''] = process.argv.splice(at, 2);
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds <= 0) throw new Error(`${OPTION} must be whole seconds, not "${text}".`);
  const clock = new SteppedClock(systemClock);
  process.on('SIGUSR2', () => clock.step(seconds * 1_000));
  return clock;
}

/** Replaces `daemon/lib/time/daemon-clock.ts` in the daemon for tests. */
export const daemonClock = takeClock();
