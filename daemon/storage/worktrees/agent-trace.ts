/** Settings of git by which it writes its trace to `file`, with the variable that names another git folder. */
export const traceTo = (file: string) => ({ GIT_TRACE2_EVENT: file, GIT_TRACE2_ENV_VARS: 'GIT_DIR' });

/** A git command that a program ran, from the trace of git (Documentation/technical/api-trace2). */
interface TracedCommand {
  words: string[];
  /** The working trees in which it worked, without links. None for a command outside of one. */
  folders: string[];
  /** A variable named the repository, which may be another one than that of the folder. */
  hasGitDir: boolean;
}

const IS_READ = /"event":"(?:start|def_repo|def_param)"/;

function parseEvent(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A line that was cut off, or written by two programs at once.
    return {};
  }
}

function parseTrace(text: string): TracedCommand[] {
  const commands: TracedCommand[] = [];
  const bySession = new Map<unknown, TracedCommand>();
  for (const line of text.split('\n')) {
    if (!IS_READ.test(line)) continue;
    const { event, sid, argv, worktree, param } = parseEvent(line);
    if (event === 'start' && Array.isArray(argv)) {
      const command: TracedCommand = { words: argv.map(String), folders: [], hasGitDir: false };
      commands.push(command);
      if (sid !== undefined) bySession.set(sid, command);
    }
    const command = bySession.get(sid);
    if (!command) continue;
    if (event === 'def_repo' && typeof worktree === 'string') command.folders.push(worktree);
    if (event === 'def_param' && param === 'GIT_DIR') command.hasGitDir = true;
  }
  return commands;
}

/** Whether a command can change another repository than the one in whose folder it runs. */
const reachesOut = ({ words, hasGitDir }: TracedCommand) =>
  hasGitDir ||
  words.some((word) => word === 'push' || word.startsWith('--git-dir')) ||
  (words.includes('config') && words.some((word) => /^(-f|--file)/.test(word)));

const changesFolders = (words: readonly string[]) => words.includes('worktree') && !words.includes('list');

/**
 * Returns the words of the git commands in a trace, except those in other repositories, such as the ones that a test
 * suite makes: all their working trees are none of which `isOwn` says that it is one of the user's repository.
 */
export function readCommands(text: string, isOwn: (folder: string) => boolean): string[][] {
  const commands = parseTrace(text);
  const isElsewhere = (command: TracedCommand) =>
    command.folders.length > 0 && !command.folders.some(isOwn) && !reachesOut(command);
  const here = commands.filter((command) => !isElsewhere(command));
  // A working tree that was made and removed meanwhile is not known as the user's.
  const kept = here.some(({ words }) => changesFolders(words)) ? commands : here;
  return kept.map(({ words }) => words);
}
