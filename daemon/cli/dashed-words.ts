import type { Command } from 'commander';
import { isBare } from './daemon/welcome.js';
import { everyCommand } from './help/manual.js';

/** The words that options are read from. */
const beforeLiteral = (args: readonly string[]) => (args.includes('--') ? args.slice(0, args.indexOf('--')) : args);

const isVersion = (word: string) => word === '-V' || word === '--version';

/** Whether the version is asked for: `--version` stands in the place of a command. */
export const isVersionAsked = (args: readonly string[]): boolean =>
  beforeLiteral(args).some((word, index) => isVersion(word) && isBare(args.slice(0, index)));

/** Whether the word before is an option, of any command, whose value follows. */
function isValue(program: Command, before: string | undefined): boolean {
  if (before === undefined) return false;
  return everyCommand(program).some(({ options }) =>
    options.some(({ short, long, required }) => required && (short === before || long === before)),
  );
}

/**
 * Moves texts that begin with a dash, such as a list in Markdown, behind `--`, so that they are not read as options. No
 * option has white space in its name, and a text is the last argument of a command.
 */
export function protectTexts(program: Command, args: readonly string[]): string[] {
  const words = beforeLiteral(args);
  const isText = (word: string, index: number) =>
    /^-\S*\s/.test(word) && !/^--[\w-]+=/.test(word) && !isValue(program, words[index - 1]);
  const texts = words.filter(isText);
  if (texts.length === 0) return [...args];
  const rest = args.slice(words.length + 1);
  return [...words.filter((word, index) => !isText(word, index)), '--', ...texts, ...rest];
}

/**
 * A word after the command that the parser would read as a question for the version, also in the place of a value;
 * undefined when there is none.
 */
export const findLateVersion = (args: readonly string[]): string | undefined =>
  beforeLiteral(args).find((word, index) => /^(-V|--version$)/.test(word) && !isBare(args.slice(0, index)));
