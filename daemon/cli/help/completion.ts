import { Argument, type Command } from 'commander';
import { action, examples } from '../action.js';
import { printable, type Terminal } from '../terminal.js';
import { quotedForBash, readBashLine } from './bash-line.js';
import { readNames } from './completion-names.js';
import { COMPLETE, completeFor, SCRIPTS, SHELLS, type Shell } from './completion-scripts.js';
import { type Candidate, type Completion, complete, rootAmong } from './completion-words.js';

/** The maximum length of the description of a candidate. */
const ABOUT_CHARS = 60;

export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description(
      'Print a script that completes commands, options, their values and, from the running daemon, members, ' +
        'clusters, boards, conversations and whatever else has a name. Names are only ever put in quoted: ' +
        'nothing in them is executed.',
    )
    .addArgument(new Argument('<shell>', 'the shell that is to load it').choices([...SHELLS]))
    .addHelpText(
      'after',
      examples(
        'echo \'source /dev/stdin <<<"$(meshd completion bash)"\' >> ~/.bashrc',
        "echo 'source <(meshd completion zsh)' >> ~/.zshrc",
        'meshd completion fish > ~/.config/fish/completions/meshd.fish',
      ),
    )
    .action(
      action<object, [Shell]>(terminal, async ({ json }, shell) => {
        if (json) terminal.object({ shell, script: SCRIPTS[shell] });
        else terminal.answer(SCRIPTS[shell]);
      }),
    );
}

/** Whether the program was called by the completion script of a shell. */
export const isAskedByShell = (args: readonly string[]) => args[0]?.startsWith(COMPLETE) === true;

type CompleteWords = (words: readonly string[]) => Promise<Completion>;

/** A candidate and its description in one line, as zsh and fish display it. */
function line({ word, about }: Candidate): string {
  const said = printable(about ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (said === '') return word;
  return `${word}\t${said.length > ABOUT_CHARS ? `${said.slice(0, ABOUT_CHARS - 1)}…` : said}`;
}

/** The candidates as bash inserts them in place of the piece being typed. */
async function forBash(
  completeWords: CompleteWords,
  typedLine: string,
  breaks: string,
): Promise<{ kind: Completion['kind']; lines: string[] }> {
  const { words, typed, kept, quote } = readBashLine(typedLine, breaks);
  const { kind, candidates } = await completeWords([...words.slice(1), typed]);
  const fitting = candidates.filter(({ word }) => word.startsWith(typed));
  return { kind, lines: fitting.map(({ word }) => quotedForBash(word.slice(kept.length), quote)) };
}

/**
 * Prints the completion for a shell: its kind on the first line, then the candidates. For `__complete` it prints the
 * candidates only.
 */
export async function answerShell(
  program: Command,
  terminal: Terminal,
  [asked, ...given]: readonly string[],
): Promise<void> {
  const { patienceMs } = terminal.environment;
  const completeWords: CompleteWords = (words) =>
    complete(program, words, (named, typed) => readNames(rootAmong(program, words), named, typed, patienceMs));
  if (asked === COMPLETE) {
    for (const { word } of (await completeWords(given)).candidates) terminal.answer(word);
    return;
  }
  if (asked === completeFor('bash')) {
    const { kind, lines } = await forBash(completeWords, given[0] ?? '', given[1] ?? '');
    for (const said of [kind, ...lines]) terminal.answer(said);
    return;
  }
  const { kind, candidates } = await completeWords(given);
  for (const said of [kind, ...candidates.map(line)]) terminal.answer(said);
}
