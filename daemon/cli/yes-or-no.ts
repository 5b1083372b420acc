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
