import { type Clock, systemClock } from '../../daemon/lib/time/clock.js';
import { SteppedClock } from '../../daemon/lib/time/stepped-clock.js';
import { type DaemonProcess, runDaemon } from '../../daemon/run-daemon.js';

export { explainMissingPart } from '../../daemon/lib/missing-part.js';

const CLOCK = '--test-clock';
/** Instead of the options of a daemon: each daemon gets its own with the message that starts it. */
const ONE_AFTER_ANOTHER = '--test-one-after-another';

interface StartMessage {
  type: 'start';
  /** Options of the daemon. */
  options: string[];
  environment: Record<string, string>;
}

/**
 * Removes `--test-clock <seconds>` from `argv` before the daemon reads it. Each SIGUSR2 moves the clock ahead by that
 * many seconds.
 */
function takeClock(argv: string[], on: (signal: 'SIGUSR2', step: () => void) => void): Clock {
  const at = argv.indexOf(CLOCK);
  if (at === -1) return systemClock;
  const [, text = ''] = argv.splice(at, 2);
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds <= 0) throw new Error(`${CLOCK} must be whole seconds, not "${text}".`);
  const clock = new SteppedClock(systemClock);
  on('SIGUSR2', () => clock.step(seconds * 1_000));
  return clock;
}

/**
 * Runs one daemon in this process, with everything that it would get from a process of its own. `end` stops it as
 * SIGTERM does, but leaves the process running. A signal ends both.
 */
function startOne({ options, environment }: StartMessage): { end(): void } {
  const listeners: [string, (error: unknown) => void][] = [];
  const on = (event: string, listener: (error: unknown) => void) => {
    listeners.push([event, listener]);
    process.on(event, listener);
  };
  let isProcessKept = false;
  // What the daemon does not get in its own environment must not reach it, or programs that it starts, from this one.
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  const own: DaemonProcess = {
    argv: [...process.argv.slice(0, 2), ...options],
    env: process.env,
    pid: process.pid,
    stderr: process.stderr,
    cwd: process.cwd,
    getuid: process.getuid,
    // The channel stays open for the next daemon.
    connected: false,
    disconnect: () => undefined,
    send: (message, sent) => process.send?.(message, sent),
    on,
    exit(code) {
      if (!isProcessKept || code !== 0) process.exit(code);
      for (const [event, listener] of listeners) process.off(event, listener);
      process.send?.({ type: 'ended' });
    },
  };
  runDaemon(own, takeClock(own.argv, on));
  return {
    end() {
      isProcessKept = true;
      process.emit('SIGTERM');
    },
  };
}

/** Runs daemons as the parent process says, never two at once. */
function runOneAfterAnother(): void {
  let running: { end(): void } | undefined;
  process.on('message', (message: StartMessage | { type: 'end' }) => {
    if (message.type === 'start') running = startOne(message);
    else running?.end();
  });
  process.once('disconnect', () => process.exit());
}

/** Runs as asked for. The daemon does not tell which program it is: no other is installed in its place. */
export function run(): void {
  if (process.argv[2] === ONE_AFTER_ANOTHER) runOneAfterAnother();
  else
    runDaemon(
      process,
      takeClock(process.argv, (signal, step) => process.on(signal, step)),
    );
}
