import { CommandError } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { findDaemon, findRoot } from './project.js';

/** A daemon that does not respond in time is treated as absent. */
const PATIENCE_MS = 1_000;

const FIRST = [
  ['meshd up', 'start the project’s daemon, and print its address'],
  ['meshd ask <member> "…"', 'ask a member, with checked citations'],
  ['meshd talk <member>', 'work with one'],
  ['meshd inbox', 'what needs you'],
  ['meshd team ls', 'the members'],
  ['meshd doctor', 'find problems'],
  ['meshd help', 'all commands; `meshd help <command>` explains one'],
] as const;

/** Whether the arguments name no command. */
export function isBare(args: readonly string[]): boolean {
  const rest = args.filter(
    (arg, index) => arg !== '--json' && arg !== '--root' && !arg.startsWith('--root=') && args[index - 1] !== '--root',
  );
  return rest.length === 0;
}

function findRootOption(args: readonly string[]): string | undefined {
  const at = args.lastIndexOf('--root');
  return at === -1 ? args.find((arg) => arg.startsWith('--root='))?.slice('--root='.length) : (args[at + 1] ?? '');
}

/** Prints the output of `meshd` without a command: the state of the daemon, and first steps. */
export async function welcome(terminal: Terminal, args: readonly string[], version: string): Promise<void> {
  const root = findRoot(process.cwd(), findRootOption(args));
  let silence: string | undefined;
  const daemon = await findDaemon(root, PATIENCE_MS).catch((error: unknown) => {
    // `doctor` explains a listener that is another program.
    if (!(error instanceof CommandError)) throw error;
    if (error.code === 'unreachable') silence = error.message;
    return undefined;
  });
  if (terminal.isJson)
    return terminal.object({ version, root, running: daemon !== undefined, address: daemon?.file.address ?? null });
  const { bold, dim } = terminal.colours;
  terminal.answer(
    `${bold('meshd')} ${version}: one loopback daemon for your repository, whose members answer with cited, ` +
      'checked facts.',
  );
  terminal.answer(
    daemon ? `It runs for ${root} at ${daemon.file.address}` : (silence ?? `It does not run for ${root}`),
  );
  terminal.answer('');
  terminal.table(FIRST.map(([line, what]) => [`  ${line}`, dim(what)]));
}
