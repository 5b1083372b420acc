import type { Command } from 'commander';
import { findRoot } from './daemon/project.js';
import { CommandError } from './exit-codes.js';
import type { Terminal } from './terminal.js';
import { nameTypedOption } from './typed-option.js';

/** The options of every command: the project, and whether the output is JSON for a program. */
export interface Common {
  /** Absolute path of the project. */
  root: string;
  json?: boolean;
}

/**
 * Makes `run` the action of a command. `run` receives the merged options of all command levels with the resolved root,
 * then the arguments in order: undefined for an omitted optional one, an array for a variadic one.
 */
export function action<Options extends object, Arguments extends readonly unknown[]>(
  terminal: Terminal,
  run: (options: Options & Common, ...args: Arguments) => Promise<void>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<Options & { root?: string; json?: boolean }>();
    terminal.isJson = options.json === true;
    const root = findRoot(process.cwd(), options.root);
    try {
      await run({ ...options, root }, ...(command.processedArgs as unknown as Arguments));
    } catch (error) {
      // With --json the failure is passed on as the daemon reported it.
      if (terminal.isJson || !(error instanceof CommandError)) throw error;
      throw nameTypedOption(command, error);
    }
  };
}

/** The examples section at the end of a command's help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
