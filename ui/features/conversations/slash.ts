/** What can be typed at the start of a message instead of something to say. */
export interface SlashCommand {
  name: SlashName;
  /** What stands behind the name: none, some that may be left out, or some that are needed. */
  words?: string;
  needsWords?: true;
  help: string;
}

export type SlashName = (typeof COMMANDS)[number]['name'];

/** What is chosen from the first letters alone can be taken back: what answers a question stands last. */
const COMMANDS = [
  { name: '/help', help: 'list these commands' },
  { name: '/stop', help: 'stop the running turn; what waits goes on' },
  { name: '/drop', help: 'drop what waits in this conversation; what runs goes on' },
  { name: '/retry', help: 'say again what was not answered' },
  { name: '/rename', words: '<title>', needsWords: true, help: 'give this conversation a title' },
  { name: '/pin', help: 'keep it at the top of the list' },
  { name: '/unpin', help: 'let it stand among the others' },
  { name: '/archive', help: 'put it away; it stays readable' },
  { name: '/unarchive', help: 'bring it back' },
  { name: '/export', words: '[md|html|jsonl]', help: 'take it along, as Markdown unless you say otherwise' },
  { name: '/new', help: 'begin another conversation' },
  { name: '/allow', help: 'answer the question that waits: yes, once' },
  { name: '/always', help: 'answer the question that waits: yes to this tool, in this conversation' },
  { name: '/deny', help: 'answer the question that waits: no' },
] as const;

export const SLASH_COMMANDS: readonly SlashCommand[] = COMMANDS;

/** What a text is: something to say, a command with what stands behind its name, or neither, and why. */
export type Typed =
  | { is: 'said'; text: string }
  | { is: 'command'; name: SlashName; words: string }
  | { is: 'unknown'; why: string };

/** Reads what was typed. A text that begins with `//` is said with one slash. */
export function readTyped(typed: string): Typed {
  const text = typed.trim();
  if (!text.startsWith('/')) return { is: 'said', text };
  if (text.startsWith('//')) return { is: 'said', text: text.slice(1) };
  const [name = '', words = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text)?.slice(1) ?? [];
  const command = SLASH_COMMANDS.find((one) => one.name === name);
  if (!command) {
    const names = SLASH_COMMANDS.map((one) => one.name).join(' ');
    return { is: 'unknown', why: `${name} is none of ${names}; begin with // to say a slash.` };
  }
  if (command.needsWords && words === '')
    return { is: 'unknown', why: `${name} needs more: ${name} ${command.words}.` };
  if (!command.words && words !== '')
    return { is: 'unknown', why: `${name} takes nothing behind it; begin with // to say a slash.` };
  return { is: 'command', name: command.name, words };
}

/** What is typed so that exactly these words are said. */
export const asTyped = (said: string): string => (said.trimStart().startsWith('/') ? `/${said.trimStart()}` : said);

/** Whether a command's name is being typed and nothing behind it. */
export const isSlashWord = (typed: string): boolean => /^\s*\/(?:[^\s/]\S*)?$/.test(typed);

/** The commands that begin with what is typed; none once more than a name is typed. */
export function commandsFor(typed: string): readonly SlashCommand[] {
  return isSlashWord(typed) ? SLASH_COMMANDS.filter(({ name }) => name.startsWith(typed.trim())) : [];
}
