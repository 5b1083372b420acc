/** A command that can be typed in place of a message. */
export interface SlashCommand {
  name: SlashName;
  /** The argument's placeholder; the argument is required if `needsWords` is set. */
  words?: string;
  needsWords?: true;
  help: string;
}

export type SlashName = (typeof COMMANDS)[number]['name'];

/**
 * The first match of a few letters is chosen by Enter, so it must be reversible. The commands that decide a permission
 * are last.
 */
const COMMANDS = [
  { name: '/help', help: 'list these commands' },
  { name: '/stop', help: 'stop the running turn; queued messages continue' },
  { name: '/drop', help: 'remove queued messages; the running turn continues' },
  { name: '/retry', help: 'retry the last unanswered message' },
  { name: '/rename', words: '<title>', needsWords: true, help: 'give this conversation a title' },
  { name: '/pin', help: 'keep it at the top of the list' },
  { name: '/unpin', help: 'unpin it' },
  { name: '/archive', help: 'archive it' },
  { name: '/unarchive', help: 'unarchive it' },
  { name: '/export', words: '[md|html|jsonl]', help: 'export it, as Markdown by default' },
  { name: '/new', help: 'start another conversation' },
  { name: '/allow', help: 'answer the permission question: allow once' },
  { name: '/always', help: 'answer the permission question: always allow this tool in this conversation' },
  { name: '/deny', help: 'answer the permission question: deny' },
] as const;

export const SLASH_COMMANDS: readonly SlashCommand[] = COMMANDS;

/** A parsed text: a message, a command with its argument, or neither with the reason. */
type Typed =
  | { is: 'said'; text: string }
  | { is: 'command'; name: SlashName; words: string }
  | { is: 'unknown'; why: string };

/** Parses the composer's text. A text that begins with `//` is a message with one slash. */
export function readTyped(typed: string): Typed {
  const text = typed.trim();
  if (!text.startsWith('/')) return { is: 'said', text };
  if (text.startsWith('//')) return { is: 'said', text: text.slice(1) };
  const [name = '', words = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text)?.slice(1) ?? [];
  const command = SLASH_COMMANDS.find((one) => one.name === name);
  if (!command) {
    const names = SLASH_COMMANDS.map((one) => one.name).join(' ');
    return { is: 'unknown', why: `${name} is not one of ${names}; begin with // to send a slash.` };
  }
  if (command.needsWords && words === '')
    return { is: 'unknown', why: `${name} needs an argument: ${name} ${command.words}.` };
  if (!command.words && words !== '')
    return { is: 'unknown', why: `${name} takes no argument; begin with // to send a slash.` };
  return { is: 'command', name: command.name, words };
}

/** Returns the text to type so that exactly `said` is sent as a message. */
export const escapeSlash = (sent: string): string => (sent.trimStart().startsWith('/') ? `/${sent.trimStart()}` : sent);

/** Reports whether the text is the beginning of a command's name and nothing else. */
export const isSlashWord = (typed: string): boolean => /^\s*\/(?:[^\s/]\S*)?$/.test(typed);

/** Returns the commands whose name begins with the text; none once more than a name is typed. */
export function commandsFor(typed: string): readonly SlashCommand[] {
  return isSlashWord(typed) ? SLASH_COMMANDS.filter(({ name }) => name.startsWith(typed.trim())) : [];
}
