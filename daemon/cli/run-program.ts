import { fileURLToPath } from 'node:url';
import { sanitizeDisplayText } from '../lib/text/display-text.js';
import { readEnvironment } from './environment.js';
import { run } from './program.js';
import { Terminal } from './terminal.js';

/**
 * Prints an internal error with positions in the sources. Node.js would print it unsanitized, and it may name a file of
 * the project.
 */
async function explainFault(terminal: Terminal, entry: string, error: unknown): Promise<void> {
  const [{ createSourceNamer }, { readFileSync }] = await Promise.all([
    import('../lib/source-stack.js'),
    import('node:fs'),
  ]);
  const dist = fileURLToPath(new URL('.', entry));
  const nameSources = createSourceNamer(dist, (path) => readFileSync(path, 'utf8'));
  const stack = nameSources(error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (terminal.isJson) terminal.record({ error: 'internal', message: stack });
  else terminal.note(stack);
}

/** Runs the command line of this process. `entry` is the file that Node.js was given, beside which the daemon is. */
export async function runProgram(entry: string): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early (`meshd requests ls | head -1`) is not a failure.
    if (error.code === 'EPIPE') process.exit(process.exitCode);
    process.stderr.write(`meshd: The answer could not be written: ${sanitizeDisplayText(error.message)}.\n`, () =>
      process.exit(1),
    );
  });
  // When stderr is closed, nothing can be reported.
  process.stderr.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? process.exitCode : 1),
  );

  const terminal = new Terminal(process.stdout, process.stderr, readEnvironment(process.stdout.isTTY === true));
  process.once('uncaughtException', (error) => explainFault(terminal, entry, error).finally(() => process.exit(1)));
  process.exitCode = await run(process.argv.slice(2), terminal, entry).catch(async (error: unknown) => {
    await explainFault(terminal, entry, error);
    return 1;
  });
}
