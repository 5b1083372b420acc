import { Argument, type Command, type Help } from 'commander';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { TOPICS, type Topic } from './help-topics.js';
import { ARGUMENTS, type ManualPage, PAGES } from './manual-pages.js';

/** Longer lines are hard to read, however wide the terminal is. */
const WIDTH_MAX = 100;
const WIDTH_DEFAULT = 80;
const WIDTH_MIN = 40;
/** Replaces a blank at which a line must not be broken. */
const TIE = '\u0001';

/** The width of help text in columns. */
export function helpWidth({ columns }: Terminal): number {
  return Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, columns ?? WIDTH_DEFAULT));
}

/** The words of a command without the program's name; empty for the program itself. */
export function getCommandPath(command: Command): string {
  return command.parent ? `${getCommandPath(command.parent)} ${command.name()}`.trim() : '';
}

/** All commands below `command`, including those that only contain others. */
export function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((one) => [one, ...everyCommand(one)]);
}

function createHelper(command: Command, terminal: Terminal): Help {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: helpWidth(terminal) });
  return help;
}

type Items = readonly (readonly [term: string, meaning: string])[];

function itemList(help: Help, items: Items): string {
  const termWidth = Math.min(34, Math.max(...items.map(([term]) => term.length)));
  return items.map(([term, meaning]) => help.formatItem(term, termWidth, meaning, help)).join('\n');
}

/** The sections after the examples of a command. */
function sections(command: Command, page: ManualPage, terminal: Terminal): string {
  const help = createHelper(command, terminal);
  const title = (text: string) => help.styleTitle(text);
  const exits = Object.entries(page.exits ?? {});
  const files = Object.entries(page.files ?? {});
  const see = [...page.see, 'help exit-codes'].map((one) => `meshd ${one}`.replaceAll(' ', TIE)).join(', ');
  return [
    ...(exits.length === 0 ? [] : [`\n${title('Exit status here:')}\n${itemList(help, exits)}`]),
    ...(files.length === 0 ? [] : [`\n${title('Files:')}\n${itemList(help, files)}`]),
    `\n${title('See also:')}\n  ${help
      .boxWrap(see, helpWidth(terminal) - 2)
      .replaceAll('\n', '\n  ')
      .replaceAll(TIE, ' ')}`,
  ].join('\n');
}

/** A default page for a command without one: refers to its sibling commands. */
function neighbours(command: Command): ManualPage {
  const beside = (command.parent?.commands ?? []).filter((one) => one !== command && one.name() !== 'help');
  const group = command.parent?.parent ? beside : beside.filter((one) => one.helpGroup() === command.helpGroup());
  return { see: group.slice(0, 4).map(getCommandPath) };
}

/**
 * Adds the remaining sections to the help of every command that has an action or a page, and default descriptions to
 * its arguments.
 */
export function addManual(program: Command, terminal: Terminal): void {
  for (const command of everyCommand(program)) {
    for (const argument of command.registeredArguments) argument.description ||= ARGUMENTS[argument.name()] ?? '';
    const page = PAGES[getCommandPath(command)];
    if (page === undefined && command.commands.length > 0) continue;
    command.addHelpText('after', () => sections(command, page ?? neighbours(command), terminal));
  }
}

function showTopic(program: Command, terminal: Terminal, name: string, { about, items, after }: Topic): void {
  const help = createHelper(program, terminal);
  terminal.answer(`${help.styleTitle(about)}\n\n${itemList(help, items)}`);
  if (after !== undefined) terminal.answer(`\n${help.boxWrap(after, helpWidth(terminal))}`);
  const others = Object.keys(TOPICS).filter((other) => other !== name);
  terminal.answer(`\n${help.styleTitle('See also:')}\n  ${others.map((other) => `meshd help ${other}`).join(', ')}`);
}

/** A command's page as JSON. */
function toManualObject(command: Command): object {
  const { registeredArguments, options, commands } = command;
  return {
    command: `meshd ${getCommandPath(command)}`.trim(),
    summary: command.summary() || command.description(),
    description: command.description(),
    usage: command.usage(),
    arguments: registeredArguments.map((one) => ({
      name: one.name(),
      description: one.description,
      required: one.required,
      many: one.variadic,
      choices: one.argChoices ?? null,
    })),
    options: options.map((one) => ({
      flags: one.flags,
      description: one.description,
      required: one.mandatory,
      default: one.defaultValue ?? null,
      choices: one.argChoices ?? null,
    })),
    commands: commands.map((one) => one.name()),
    ...PAGES[getCommandPath(command)],
  };
}

function findCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next) return next;
    const known = command === program ? 'meshd help' : `meshd ${getCommandPath(command)} --help`;
    throw new CommandError(
      EXIT.notFound,
      `There is no command or topic "${words.join(' ')}": \`${known}\` lists what there is.`,
      'not_found',
    );
  }, program);
}

/** Adds `meshd help`: the page of a command, or a topic. */
export function addHelp(program: Command, terminal: Terminal): void {
  program.helpCommand(false);
  program
    .command('help')
    .summary('explain a command, or a topic')
    .description(
      `Explain a command, as --help after it does, or a topic: ${Object.keys(TOPICS).join(', ')}. With --json ` +
        'a command is described as an object.',
    )
    .addArgument(new Argument('[words...]', 'a command, or a topic'))
    .addHelpText(
      'after',
      examples('meshd help ask', 'meshd help team import', 'meshd help exit-codes', 'meshd help ask --json'),
    )
    .action(
      action<object, [string[]]>(terminal, async ({ json }, words) => {
        const [name = ''] = words;
        const topic = words.length === 1 && Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
        if (topic === undefined) {
          const command = findCommand(program, words);
          return json ? terminal.object(toManualObject(command)) : command.outputHelp();
        }
        if (json) terminal.object({ topic: name, ...topic, items: Object.fromEntries(topic.items) });
        else showTopic(program, terminal, name, topic);
      }),
    );
}
