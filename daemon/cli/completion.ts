import { Argument, type Command } from 'commander';
import type { MemberList } from '../contract/team.js';
import { action, examples } from './action.js';
import { findDaemon, findRoot } from './project.js';
import type { Terminal } from './terminal.js';

/** A key press waits for this, so a daemon that is slow counts as none. */
const PATIENCE_MS = 400;
/** What the shells' scripts call the program with, before the words of the line. */
export const COMPLETE = '__complete';
const SHELLS = ['bash', 'zsh', 'fish'] as const;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `_meshd() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(meshd ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _meshd meshd`,
  zsh: `#compdef meshd
_meshd() {
  local -a candidates
  candidates=("\${(@f)$(meshd ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$candidates" ]]; then compadd -a candidates; else _files; fi
}
compdef _meshd meshd`,
  fish: `function __meshd_complete
  set -l words (commandline -opc) (commandline -ct)
  meshd ${COMPLETE} $words[2..-1] 2>/dev/null
end
complete -c meshd -f -a '(__meshd_complete)'`,
};

/** The command that `words` lead to, and the argument that the next word would be. */
function walk(program: Command, words: readonly string[]): { command: Command; position: number; lastOption: string | undefined } {
  let command = program;
  let position = 0;
  let lastOption: string | undefined;
  for (const word of words) {
    if (lastOption !== undefined) {
      lastOption = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = [...command.options, ...program.options].find(({ long, short }) => word === long || word === short);
      lastOption = option?.required ? word : undefined;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word);
    if (next) command = next;
    else position += 1;
  }
  return { command, position, lastOption };
}

/** Ids of the running daemon's members; none when it does not run or takes its time. */
async function memberIds(given: string | undefined): Promise<string[]> {
  try {
    const daemon = await findDaemon(findRoot(process.cwd(), given), PATIENCE_MS);
    const list = await daemon?.client.get<MemberList>('/team', { timeoutMs: PATIENCE_MS });
    return list?.members.map(({ id }) => id) ?? [];
  } catch {
    // Whatever is wrong, a half-typed line is no place to say so.
    return [];
  }
}

/** What may stand where the last of `words` is being typed: subcommands, options after a hyphen, choices, or member ids. */
export async function complete(program: Command, words: readonly string[], ids: () => Promise<string[]>): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { command, position, lastOption } = walk(program, words.slice(0, -1));
  if (lastOption !== undefined) return lastOption === '--member' ? ids() : [];
  if (typed.startsWith('-')) {
    const names = [...command.options, ...program.options].map(({ long }) => long);
    return [...new Set(names.filter((name) => name !== undefined && name !== null)), '--help'];
  }
  if (command.commands.length > 0) return command.commands.map((one) => one.name());
  const argument = command.registeredArguments[position];
  if (!argument) return [];
  return argument.name() === 'member' ? ids() : [...(argument.argChoices ?? [])];
}

export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description('Print a script that completes commands, options and, from the running daemon, member ids.')
    .addArgument(new Argument('<shell>').choices([...SHELLS]))
    .addHelpText('after', examples('source <(meshd completion bash)', 'meshd completion fish > ~/.config/fish/completions/meshd.fish'))
    .action(
      action<object, [(typeof SHELLS)[number]]>(terminal, async ({ json }, shell) => {
        if (json) terminal.object({ shell, script: SCRIPTS[shell] });
        else terminal.answer(SCRIPTS[shell]);
      }),
    );
}

/** Answers a shell in the middle of a line: one candidate a line, nothing at all when there is nothing to say. */
export async function answerShell(program: Command, terminal: Terminal, words: readonly string[]): Promise<void> {
  const given = words.includes('--root') ? words[words.indexOf('--root') + 1] : undefined;
  const ids = async () => memberIds(given);
  for (const candidate of await complete(program, words, ids)) terminal.answer(candidate);
}
