import { EXIT } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/**
 * Waits for work that the daemon does not end with the command. Ctrl-C ends the command, and `goesOn` says how to come
 * back to the work; with --json as an object with `details`.
 */
export async function untilInterrupted<T>(
  terminal: Terminal,
  goesOn: string,
  details: Readonly<Record<string, string>>,
  work: Promise<T>,
): Promise<T> {
  const leave = () => {
    if (terminal.isJson) terminal.record({ error: 'interrupted', message: goesOn, ...details });
    terminal.note(`\n${goesOn}`);
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', leave);
  try {
    return await work;
  } finally {
    process.off('SIGINT', leave);
  }
}
