import type { Command } from 'commander';
import { CommandError } from './exit-codes.js';

interface Typed {
  /** As written on the command line. */
  name: string;
  description: string;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whether an option of that name sets a field of the request: `tag` sets `tags`, `maxPrice` sets `max_price_usd`. */
function isFilledBy(field: string, name: string): boolean {
  const stem = snakeCase(name).replaceAll('-', '_');
  return field === stem || field === `${stem}s` || field.startsWith(`${stem}_`);
}

/** The option or argument that sets the field at `path` of the request; undefined when there is none. */
function findTyped(command: Command, path: string): Typed | undefined {
  const field =
    path
      .split('.')
      .filter((step) => !/^\d+$/.test(step))
      .at(-1) ?? '';
  const option = command.options.find((one) => isFilledBy(field, one.attributeName()));
  if (option) return { name: option.long ?? option.flags, description: option.description };
  const argument = command.registeredArguments.find((one) => isFilledBy(field, one.name()));
  if (argument) return { name: `<${argument.name()}>`, description: argument.description };
  const set = command.options.find((one) => one.long === '--set');
  return set && { name: `--set ${path}`, description: set.description };
}

/** Rewrites a failure in terms of the command line: it names the typed option instead of the field of the request. */
export function nameTypedOption(command: Command, failure: CommandError): CommandError {
  const { exit, message, code, details } = failure;
  const path = details['path'];
  const typed = typeof path === 'string' && path !== '' ? findTyped(command, path) : undefined;
  if (!typed || !message.includes(`"${path}"`)) return failure;
  // A regular expression is not helpful to a user; the help of the option is.
  const isFormat = message.startsWith(`"${path}" must have the format`);
  const named = isFormat
    ? `${typed.name} is not valid. It takes: ${typed.description}.`
    : message.replaceAll(`"${path}"`, typed.name);
  return new CommandError(exit, named, code, details);
}
