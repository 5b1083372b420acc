import { CommandError, EXIT } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Prompts the user; anything but yes is no. */
async function ask(terminal: Terminal, question: string): Promise<boolean | 'ended' | 'interrupted'> {
  const prompt = terminal.openPrompt();
  const closed = new AbortController();
  prompt.once('SIGINT', () => closed.abort('interrupted'));
  prompt.once('close', () => closed.abort('ended'));
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `, { signal: closed.signal })).trim());
  } catch (error) {
    if (closed.signal.aborted) return closed.signal.reason as 'ended' | 'interrupted';
    throw error;
  } finally {
    prompt.close();
  }
}

/** Prompts the user; anything but yes is no. Returns undefined when the input ends first, as with Ctrl-C. */
export async function askYesOrNo(terminal: Terminal, question: string): Promise<boolean | undefined> {
  const answer = await ask(terminal, question);
  return typeof answer === 'boolean' ? answer : undefined;
}

/**
 * Whether the user confirms. Throws `bad_request` without a terminal, where `--yes` is required, and `interrupted` after
 * Ctrl-C. `after` says how it can be taken back.
 */
export async function isConfirmed(
  terminal: Terminal,
  question: string,
  after = 'This cannot be undone.',
): Promise<boolean> {
  if (!terminal.hasPerson) {
    throw new CommandError(EXIT.usage, `${question} ${after} Without a terminal, add --yes to confirm.`, 'bad_request');
  }
  const answer = await ask(terminal, question);
  if (answer === 'interrupted') {
    // The question has left its line open.
    terminal.note('');
    throw new CommandError(EXIT.interrupted, 'Nothing was done.', 'interrupted');
  }
  return answer === true;
}
