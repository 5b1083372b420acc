import type { Command } from 'commander';
import { CommandError } from './exit-codes.js';

/** Longer values are not repeated. */
const VALUE_MAX_CHARS = 60;

interface Typed {
  /** As written on the command line, with a short value. */
  name: string;
  description: string;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Whether an option of that name sets a field of the request: `tag` sets `tags`, `maxPrice` sets `max_price_usd`, `id`
 * sets `agent_id`.
 */
function isFilledBy(field: string, name: string): boolean {
  const stem = snakeCase(name).replaceAll('-', '_');
  return field === stem || field === `${stem}s` || field.startsWith(`${stem}_`) || field.endsWith(`_${stem}`);
}

/** Whether the message, which names the option, becomes clearer with the value: it is short, and not named yet. */
const isWorthNaming = (value: unknown, message: string): boolean =>
  (typeof value === 'string' || typeof value === 'number') &&
  String(value).length <= VALUE_MAX_CHARS &&
  (value === '' || !message.includes(String(value)));

/** The option or argument that sets the field at `path` of the request; undefined when there is none. */
function findTyped(command: Command, path: string, message: string): Typed | undefined {
  const withValue = (name: string, value: unknown) =>
    isWorthNaming(value, message) ? `${name} ${JSON.stringify(value)}` : name;
  const field =
    path
      .split('.')
      .filter((step) => !/^\d+$/.test(step))
      .at(-1) ?? '';
  const option = command.options.find((one) => isFilledBy(field, one.attributeName()));
  if (option)
    return {
      name: withValue(option.long ?? option.flags, command.getOptionValue(option.attributeName())),
      description: option.description,
    };
  const at = command.registeredArguments.findIndex((one) => isFilledBy(field, one.name()));
  const argument = command.registeredArguments[at];
  if (argument) return { name: withValue(`<${argument.name()}>`, command.args[at]), description: argument.description };
  const set = command.options.find((one) => one.long === '--set');
  return set && { name: `--set ${path}`, description: set.description };
}

/** Rewrites a failure in terms of the command line: it names the typed option instead of the field of the request. */
export function nameTypedOption(command: Command, failure: CommandError): CommandError {
  const { exit, message, code, details } = failure;
  const path = details['path'];
  if (typeof path !== 'string' || path === '' || !message.includes(`"${path}"`)) return failure;
  // A regular expression is not helpful to a user; the help of the option is.
  const format = message.indexOf(`"${path}" must have the format`);
  const kept = format < 0 ? message : message.slice(0, format);
  const typed = findTyped(command, path, kept);
  if (!typed) return failure;
  const named =
    format < 0
      ? message.replaceAll(`"${path}"`, typed.name)
      : `${kept}${typed.name} is not valid. It takes: ${typed.description}.`;
  return new CommandError(exit, named, code, details);
}
