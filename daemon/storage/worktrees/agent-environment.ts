import { readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInOrBelow } from '../../lib/text/path-pattern.js';
import { atomicWrite, ensureDirectory } from '../files/atomic-write.js';
import { type GitEnvironment, runGit } from '../git/git-command.js';
import { parseWorktreePaths } from '../git/git-output.js';
import { readCommands, traceTo } from './agent-trace.js';
import type { GitFolders } from './repository-status.js';

/**
 * Refuses to move anything but the agents' own branches and what a worktree has of its own. Git runs it before each
 * change of a ref.
 */
const REFERENCE_HOOK = `#!/bin/sh
[ "$1" = prepared ] || exit 0
while read -r _ _ ref; do
  case $ref in
    refs/heads/meshd/* | refs/remotes/* | refs/worktree/* | refs/bisect/* | refs/rewritten/*) continue ;;
    */*) ;;
    HEAD | *_HEAD | AUTO_MERGE) continue ;;
  esac
  echo "meshd: $ref belongs to the user. Work on the branch of your own worktree." >&2
  exit 1
done
`;
/** Git shows this text, as the value of a setting that must be a truth value, for every command in the folder. */
const NOT_HERE = 'this folder belongs to the user: work in your own worktree';
const TRACE_MAX_CHARS = 16 * 1024 * 1024;

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
/** A git folder as a pattern of \`includeIf\`, in which only itself fits. */
const literal = (path: string) => path.replace(/[*?[\]\\]/g, '\\$&');

interface AgentPlace {
  /** The project. */
  root: string;
  /** The folder for files of the daemon; outside every worktree. */
  folder: string;
  turn: string;
  /** The worktree. */
  path: string;
  /** Files that the worktree was given beside the tracked ones. */
  provided: readonly string[];
}

/**
 * The environment of an agent's programs in a worktree. Git commands that they start cannot work in the user's own
 * folder, and can move no ref of the user; hooks of the repository do not run. It holds against accidents: a program
 * that clears its environment is not held by it.
 */
export class AgentEnvironment {
  private constructor(
    readonly variables: Readonly<Record<string, string>>,
    private readonly files: readonly string[],
    private readonly trace: string,
    /** Returns the working trees of the user's repository, and the folders of git in which it works too. */
    private readonly listFolders: () => Promise<string[]>,
    private readonly folders: readonly string[],
  ) {}

  static async prepare(
    { root, folder, turn, path, provided }: AgentPlace,
    { gitFolder, commonFolder }: GitFolders,
    environment: GitEnvironment,
  ): Promise<AgentEnvironment> {
    const hooks = join(folder, 'hooks');
    await ensureDirectory(folder, 0o700);
    await ensureDirectory(hooks, 0o700);
    await atomicWrite(join(hooks, 'reference-transaction'), REFERENCE_HOOK, 0o700);
    const [off, settings, ignored, trace] = ['off', 'config', 'ignored', 'trace'].map((name) =>
      join(folder, name === 'off' ? name : `${turn}.${name}`),
    ) as [string, string, string, string];
    await atomicWrite(off, `[core]\n\tfileMode = ${NOT_HERE}\n`, 0o600);
    await writeFile(trace, '', { mode: 0o600 });
    const core = [`hooksPath = ${quoted(hooks)}`];
    if (provided.length > 0) {
      const own = await readIgnored(path, environment);
      await writeFile(ignored, `${own}\n${provided.map((file) => `/${literal(file)}\n`).join('')}`, { mode: 0o600 });
      core.push(`excludesFile = ${quoted(ignored)}`);
    }
    const lines = [
      '[core]',
      ...core.map((line) => `\t${line}`),
      '[gc]',
      '\tauto = 0',
      '[maintenance]',
      '\tauto = false',
    ];
    await writeFile(settings, `${lines.join('\n')}\n`, { mode: 0o600 });
    const included = [
      [`includeIf.gitdir:${literal(gitFolder)}.path`, off],
      [`includeIf.gitdir:${literal(commonFolder)}/.path`, settings],
    ] as const;
    const variables = {
      GIT_CEILING_DIRECTORIES: dirname(path),
      ...traceTo(trace),
      GIT_CONFIG_COUNT: String(included.length),
      ...Object.fromEntries(
        included.flatMap(([key, value], at) => [
          [`GIT_CONFIG_KEY_${at}`, key],
          [`GIT_CONFIG_VALUE_${at}`, value],
        ]),
      ),
    };
    const listFolders = () => listOwnFolders(root, commonFolder, environment);
    return new AgentEnvironment(variables, [settings, ignored, trace], trace, listFolders, await listFolders());
  }

  /**
   * Returns the arguments of the git commands that the agent's programs ran in the user's repository, or may have, and
   * removes the files of the turn.
   */
  async end(): Promise<string[][]> {
    const text = await readFile(this.trace, 'utf8').catch(() => '');
    for (const file of this.files) await rm(file, { force: true });
    const own = [...this.folders, ...(await this.listFolders())];
    // A working tree may also be above the project.
    const isOwn = (folder: string) => own.some((one) => isInOrBelow(one, [folder]));
    return readCommands(text.slice(-TRACE_MAX_CHARS), isOwn);
  }
}

/** Returns the project, the git folder and the working trees of its repository, without links. */
async function listOwnFolders(root: string, commonFolder: string, environment: GitEnvironment): Promise<string[]> {
  const trees = parseWorktreePaths((await runGit(root, environment, ['worktree', 'list', '--porcelain'])) ?? '');
  return Promise.all([root, commonFolder, ...trees].map((path) => realpath(path).catch(() => path)));
}

/** Returns the user's own file of ignored names, which the one for the agent replaces. */
async function readIgnored(path: string, environment: GitEnvironment): Promise<string> {
  const named = (await runGit(path, environment, ['config', '--path', '--get', 'core.excludesFile']))?.trim();
  const home = environment['HOME'];
  const usual = environment['XDG_CONFIG_HOME'] ?? (home && join(home, '.config'));
  const file = named || (usual && join(usual, 'git', 'ignore'));
  return file ? readFile(file, 'utf8').catch(() => '') : '';
}
