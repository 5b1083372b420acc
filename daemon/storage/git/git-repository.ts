import { MeshError } from '../../lib/errors.js';
import { type GitEnvironment, type GitRunOptions, runGitFully } from './git-command.js';
import type { GitResult } from './start-git.js';

const ATTRIBUTES_MS = 120_000;

/** Settings that name a program which git would run on the contents of files. */
const PROGRAM_SETTING = /^(filter\..*\.(clean|smudge|process)|merge\..*\.driver|diff\..*\.(command|textconv))$/s;

/** Turned off for every command that changes something, beside what `git-command` turns off for all. */
const FIXED_SETTINGS: readonly (readonly [string, string])[] = [
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['core.safecrlf', 'false'],
  ['advice.detachedHead', 'false'],
  ['worktree.useRelativePaths', 'false'],
];

/** Where a setting is the user's own. */
const USERS_SCOPES = new Set(['global', 'system']);

/** Commands that would run a program to show a difference. */
const SHOWS_DIFFERENCES = new Set(['diff', 'diff-tree', 'diff-index', 'diff-files', 'show', 'log']);

const WHO = {
  GIT_AUTHOR_NAME: 'meshd',
  GIT_AUTHOR_EMAIL: 'meshd@localhost',
  GIT_COMMITTER_NAME: 'meshd',
  GIT_COMMITTER_EMAIL: 'meshd@localhost',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
};

/** What the configuration of git says. */
interface Settings {
  /**
   * The environment that replaces each setting of the repository's own configuration that names a program, and that says
   * where a worktree is.
   */
  quiet: Readonly<Record<string, string>>;
  /** The names of the filters of which a program is replaced by nothing. */
  muted: ReadonlySet<string>;
  /** Who the user is; empty where that is not set. */
  user: { readonly name: string; readonly email: string };
}

/** Where a folder is in its repository. Paths are absolute, but for the prefix. */
interface Place {
  /** The index. It may not exist yet. */
  index: string;
  gitFolder: string;
  /** The git folder that all worktrees share. */
  commonFolder: string;
  /** The folder below the top of its working tree, with a slash at its end; empty at the top. */
  prefix: string;
}

const WHERE = ['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-path', 'index', '--git-common-dir'];
/** The number of lines that `WHERE` prints. */
const WHERE_LINES = 3;

/** Parses the output of `WHERE` followed by `--show-prefix`. */
function placeIn(lines: readonly string[]): Place {
  const [gitFolder, index, commonFolder, ...prefix] = lines as [string, string, string, ...string[]];
  return { gitFolder, index, commonFolder, prefix: prefix.join('\n').replace(/\n$/, '') };
}

/**
 * Changes a git repository through the user's own git, without running a program that the repository names: no hook,
 * filter, merge driver or signature program of its configuration. Filters of the user's own configuration still run.
 * Each command sees the repository's settings as they were when the instance was opened, at most; open one per action.
 */
export class GitRepository {
  private constructor(
    readonly folder: string,
    private readonly environment: GitEnvironment,
    private readonly settings: Settings,
    private readonly place?: Place,
  ) {}

  /**
   * Opens the repository whose working tree contains `folder`. Undefined when there is none, git is not installed, or
   * its working tree was set to a place that does not contain `folder`.
   */
  static async open(folder: string, environment: GitEnvironment): Promise<GitRepository | undefined> {
    const ask = (from: string) => runGitFully(from, environment, [...WHERE, '--show-toplevel', '--show-prefix']);
    const [here, settings] = await Promise.all([ask(folder), readSettings(folder, environment)]);
    if (here.code !== 0) return undefined;
    const lines = here.stdout.split('\n');
    const [top] = lines.splice(WHERE_LINES, 1) as [string];
    // A setting of the repository may name any working tree: then its top is not where the repository is.
    if (top !== folder) {
      const atTop = await ask(top);
      const linesAtTop = atTop.stdout.split('\n');
      const isSame = (line: string, at: number) => line === linesAtTop[at];
      // A command that failed does not print the top.
      if (![...lines.slice(0, WHERE_LINES), top].every(isSame)) return undefined;
    }
    return new GitRepository(folder, environment, settings, placeIn(lines));
  }

  /** The same repository seen from another of its folders, for example a worktree. */
  at(folder: string): GitRepository {
    return new GitRepository(folder, this.environment, this.settings);
  }

  /**
   * The repository seen from a worktree whose git folder is `gitFolder`, with the settings that the worktree has of its
   * own.
   */
  async atWorktree(folder: string, gitFolder: string): Promise<GitRepository> {
    const env = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
    const settings = await readSettings(folder, this.environment, env);
    return new GitRepository(folder, this.environment, { ...settings, quiet: { ...settings.quiet, ...env } });
  }

  get user(): Settings['user'] {
    return this.settings.user;
  }

  /**
   * Returns those of `paths`, which count from the folder, whose filter is off here because only the repository's own
   * configuration names its program: git itself would store and write other contents. Throws `internal`.
   */
  async findUnfiltered(paths: readonly string[], options?: GitRunOptions): Promise<string[]> {
    const { muted } = this.settings;
    if (muted.size === 0 || paths.length === 0) return [];
    const input = paths.map((path) => `${path}\0`).join('');
    const args = ['check-attr', '-z', '--stdin', 'filter'];
    // Each entry is the path, the attribute and its value, which may be empty.
    const parts = (await this.output(args, { timeoutMs: ATTRIBUTES_MS, ...options, input })).split('\0');
    return parts.filter((_, at) => at % 3 === 0 && muted.has(parts[at + 2] as string));
  }

  /** Returns where the folder is in its repository. */
  async findPlace(): Promise<Place> {
    return this.place ?? placeIn((await this.output([...WHERE, '--show-prefix'])).split('\n'));
  }

  /** Runs a command and returns how it ended. */
  run(args: readonly string[], { env, ...options }: GitRunOptions = {}): Promise<GitResult> {
    const [command, ...rest] = args as [string, ...string[]];
    const whole = SHOWS_DIFFERENCES.has(command) ? [command, '--no-ext-diff', '--no-textconv', ...rest] : args;
    return runGitFully(this.folder, this.environment, whole, {
      ...options,
      env: { ...WHO, ...this.settings.quiet, ...env },
    });
  }

  /** Runs a command and returns its output. Throws `internal` with git's own words when it fails. */
  async output(args: readonly string[], options?: GitRunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code === 0) return stdout;
    const words = stderr.trim().split('\n').at(-1) || 'it was stopped';
    throw new MeshError('internal', `git ${args[0]} failed: ${words}`);
  }
}

/**
 * Reads the configuration that git uses in a folder. A setting of the repository's own that names a program is replaced
 * by the user's own value of it, or by nothing.
 */
async function readSettings(
  folder: string,
  environment: GitEnvironment,
  env: Readonly<Record<string, string>> = {},
): Promise<Settings> {
  const args = ['config', '--includes', '--show-scope', '--null', '--list'];
  const listed = await runGitFully(folder, environment, args, { env });
  const own = new Map<string, string>();
  const named = new Set<string>();
  const user = { name: '', email: '' };
  // Each entry is the scope, a zero byte, the key, a newline, the value and a zero byte.
  const parts = listed.stdout.split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope, entry] = parts.slice(at, at + 2) as [string, string];
    const [key, ...value] = entry.split('\n') as [string, ...string[]];
    if (key === 'user.name') user.name = value.join('\n').trim();
    if (key === 'user.email') user.email = value.join('\n').trim();
    if (!PROGRAM_SETTING.test(key)) continue;
    if (USERS_SCOPES.has(scope)) own.set(key, value.join('\n'));
    else named.add(key);
  }
  const muted = new Set<string>();
  const settings: [string, string][] = [...FIXED_SETTINGS.map(([key, value]): [string, string] => [key, value])];
  for (const key of named) {
    settings.push([key, own.get(key) ?? '']);
    const filter = /^filter\.(.*)\./s.exec(key)?.[1];
    if (filter === undefined || own.has(key)) continue;
    muted.add(filter);
    // A required filter without a program fails every file.
    settings.push([`filter.${filter}.required`, 'false']);
  }
  const quiet = Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]);
  return { quiet, muted, user };
}
