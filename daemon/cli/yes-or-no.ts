import { CommandError, EXIT } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Prompts the user; anything but yes is no. Returns undefined when the input ends first, as with Ctrl-C. */
export async function askYesOrNo(terminal: Terminal, question: string): Promise<boolean | undefined> {
  const prompt = terminal.openPrompt();
  const closed = new AbortController();
  prompt.once('close', () => closed.abort());
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `, { signal: closed.signal })).trim());
  } catch (error) {
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    prompt.close();
  }
}

/**
 * Whether the user confirms. Throws `bad_request` when stdin is not a terminal: `--yes` is required there. `after` says
 * how it can be taken back.
 */
export async function isConfirmed(
  terminal: Terminal,
  question: string,
  after = 'This cannot be undone.',
): Promise<boolean> {
  if (!terminal.hasPerson) {
    throw new CommandError(EXIT.usage, `${question} ${after} Without a terminal, add --yes to confirm.`, 'bad_request');
  }
  return (await askYesOrNo(terminal, question)) === true;
}
