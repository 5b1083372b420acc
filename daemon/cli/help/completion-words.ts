import type { Argument, Command, Option } from 'commander';
import { printable } from '../terminal.js';
import { TOPICS } from './help-topics.js';

/** One candidate with its description. */
export interface Candidate {
  word: string;
  about?: string | undefined;
}

/**
 * The candidates for the word being typed. The kind `open` marks candidates that are the start of a word, to be
 * continued.
 */
export interface Completion {
  kind: 'words' | 'open' | 'files' | 'folders';
  candidates: Candidate[];
}

/** The things that are completed by id or name, as arguments and options call them. */
const NAMED = [
  'member',
  'agent',
  'cluster',
  'board',
  'post',
  'request',
  'conversation',
  'message',
  'permission',
  'task',
  'schedule',
  'wallet',
  'call',
  'found',
] as const;
export type Named = (typeof NAMED)[number];

const FILES: ReadonlySet<string> = new Set(['file', 'path', 'receipt']);
const FOLDERS: ReadonlySet<string> = new Set(['dir', 'folder']);

/** The input so far: arguments and option values by name, and the word being typed. */
export interface Typed {
  arguments: ReadonlyMap<string, string>;
  options: ReadonlyMap<string, string>;
  word: string;
}

/** Reads the names of one kind. Never rejects. */
type Names = (named: Named, typed: Typed) => Promise<Candidate[]>;

const isNamed = (name: string): name is Named => (NAMED as readonly string[]).includes(name);
const nothing: Completion = { kind: 'words', candidates: [] };

/** Options whose name differs from what they refer to. */
const OPTION_NAMES: Readonly<Record<string, Named>> = {
  '--member': 'member',
  '--agent': 'agent',
  '--pull': 'member',
  '--ignore': 'member',
  '--after': 'task',
};

/** The placeholder of an option's value in its flags. */
const valueName = (option: Option) => /[<[]([\w|-]+)/.exec(option.flags)?.[1] ?? '';

interface Walked {
  command: Command;
  given: string[];
  options: Map<string, string>;
  /** The option whose value is the next word. */
  waiting: Option | undefined;
  /** `--` was given: all further words are arguments. */
  isLiteral: boolean;
}

/** Determines the command, arguments and options given by `words`. */
function walk(program: Command, words: readonly string[]): Walked {
  const walked: Walked = { command: program, given: [], options: new Map(), waiting: undefined, isLiteral: false };
  for (const word of words) {
    const { command, waiting } = walked;
    if (waiting !== undefined) {
      walked.options.set(waiting.attributeName(), word);
      walked.waiting = undefined;
    } else if (walked.isLiteral) walked.given.push(word);
    else if (word === '--') walked.isLiteral = true;
    else if (word.startsWith('-') && word !== '-') {
      const [name, value] = splitOption(word);
      const option = listOptions(program, command).find(({ long, short }) => name === long || name === short);
      if (option?.required && value === undefined) walked.waiting = option;
      else if (option && value !== undefined) walked.options.set(option.attributeName(), value);
    } else {
      const next =
        walked.given.length === 0
          ? command.commands.find((one) => one.name() === word || one.aliases().includes(word))
          : undefined;
      if (next) walked.command = next;
      else walked.given.push(word);
    }
  }
  return walked;
}

const listOptions = (program: Command, command: Command) => [
  ...command.options,
  ...(command === program ? [] : program.options),
];

function splitOption(word: string): [name: string, value: string | undefined] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

/** The value of `--root` in `words`, as the shell passes it. */
export function rootAmong(program: Command, words: readonly string[]): string | undefined {
  return walk(program, words.slice(0, -1)).options.get('root');
}

/** Returns the candidates for the last of `words`, which is being typed. */
export async function complete(program: Command, words: readonly string[], names: Names): Promise<Completion> {
  const word = words.at(-1) ?? '';
  const walked = walk(program, words.slice(0, -1));
  const { command, given, waiting, isLiteral } = walked;
  const typed: Typed = { arguments: listArguments(command, given), options: walked.options, word };
  if (waiting !== undefined) return forOption(waiting, typed, names);
  if (!isLiteral && word.startsWith('-') && word !== '-') return optionCompletion(program, command, typed, names);
  if (command.name() === 'help' && command.parent === program)
    return { kind: 'words', candidates: listHelpCandidates(program, given) };
  if (command.commands.length > 0 && given.length === 0) return { kind: 'words', candidates: listCommands(command) };
  const argument = command.registeredArguments[given.length] ?? lastIfMany(command);
  if (!argument) return nothing;
  if (argument.argChoices)
    return { kind: 'words', candidates: argument.argChoices.map((choice) => ({ word: choice })) };
  return forNames(argument.name().split('|'), typed, names);
}

const lastIfMany = ({ registeredArguments: all }: Command) => (all.at(-1)?.variadic ? all.at(-1) : undefined);

function listArguments({ registeredArguments }: Command, given: readonly string[]): Map<string, string> {
  return new Map(
    registeredArguments.flatMap((argument: Argument, index) =>
      given[index] === undefined ? [] : [[argument.name(), given[index]]],
    ),
  );
}

async function forOption(option: Option, typed: Typed, names: Names): Promise<Completion> {
  if (option.argChoices) return { kind: 'words', candidates: option.argChoices.map((choice) => ({ word: choice })) };
  return forNames([OPTION_NAMES[option.long ?? ''] ?? valueName(option)], typed, names);
}

async function forNames(called: readonly string[], typed: Typed, names: Names): Promise<Completion> {
  if (called.some((name) => FILES.has(name))) return { kind: 'files', candidates: [] };
  if (called.some((name) => FOLDERS.has(name))) return { kind: 'folders', candidates: [] };
  const found = (await Promise.all(called.filter(isNamed).map((named) => names(named, typed)))).flat();
  const once = new Map(found.filter(({ word }) => isSafe(word)).map((candidate) => [candidate.word, candidate]));
  return { kind: 'words', candidates: [...once.values()] };
}

/**
 * Whether a name can be one word of a line: it contains no control sequence and no line break, and does not look like
 * an option.
 */
function isSafe(word: string): boolean {
  return (
    word !== '' &&
    !word.startsWith('-') &&
    printable(word) === word &&
    !/[\s\u2028\u2029]/.test(word.replaceAll(' ', ''))
  );
}

async function optionCompletion(program: Command, command: Command, typed: Typed, names: Names): Promise<Completion> {
  const [name, value] = splitOption(typed.word);
  const all = listOptions(program, command);
  if (value === undefined) {
    const own = all
      .filter(({ hidden, long }) => !hidden && long)
      .map(({ long, description }) => ({ word: long ?? '', about: description }));
    return { kind: 'words', candidates: [...own, { word: '--help', about: 'explain the command' }] };
  }
  const option = all.find(({ long }) => long === name);
  if (!option) return nothing;
  const { kind, candidates } = await forOption(option, { ...typed, word: value }, names);
  return { kind, candidates: candidates.map(({ word, about }) => ({ word: `${name}=${word}`, about })) };
}

const isShown = (command: Command) => !(command as Command & { _hidden?: boolean })._hidden;

function listCommands(command: Command): Candidate[] {
  return command.commands
    .filter(isShown)
    .map((one) => ({ word: one.name(), about: one.summary() || one.description() }));
}

/** The subcommands, then the help topics. */
function listHelpCandidates(program: Command, given: readonly string[]): Candidate[] {
  let command: Command | undefined = program;
  for (const name of given) command = command?.commands.find((one) => one.name() === name);
  const topics = given.length === 0 ? Object.entries(TOPICS) : [];
  return [...(command ? listCommands(command) : []), ...topics.map(([word, { about }]) => ({ word, about }))];
}
